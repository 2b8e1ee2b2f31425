// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The parts of a batch script that are the same in each, but for the words between @.
namespace slipway::slurm {

// The text with each such word, "@WORD@", replaced.
inline std::string replaced(std::string_view text, std::string_view mark, std::string_view value) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find(mark, at)) != std::string::npos; at += value.size()) {
    result.replace(at, mark.size(), value);
  }
  return result;
}

// Launchers hand limits on.
inline constexpr std::string_view core_dumps_text = R"bash(if [ "$(ulimit -H -c)" = 0 ]; then
  echo "slipway: no core files: their hard limit is 0 on this node, which only an administrator raises"
else
  ulimit -S -c "$(ulimit -H -c)"
  echo "slipway: core files: $(cat /proc/sys/kernel/core_pattern), seen from $PWD"
fi
)bash";

// A job of a chain, or one that was submitted again.
inline constexpr std::string_view done_text = R"bash(field() {  # NAME
  sed -n "s/.*\"$1\": *\([0-9][0-9]*\).*/\1/p" "$run_directory/status.json" 2>/dev/null | head -n 1
}
if grep -q '"finished": true' "$run_directory/status.json" 2>/dev/null && [ "$(field exit_status)" = 0 ]; then
  echo "slipway: attempt $((attempt - 1)) has ended well: nothing is left to do"
  exit 0
fi
)bash";

// Bash runs a trap only between commands, so what runs is waited for in the background. After a trap `wait` is asked
// again; 127 then means that the status was taken before. Traps set `interrupted`.
inline constexpr std::string_view await_text = R"bash(await() {  # PROCESS: its status becomes `status`
  local code
  status=127
  while :; do
    interrupted=no
    wait "$1"
    code=$?
    [ "$code" = 127 ] || status=$code
    [ "$interrupted" = yes ] || break
  done
}
)bash";

inline constexpr std::string_view follow_text =
    R"bash(# The ranks are told by files, not by signals: launchers answer some of these by killing the ranks.
tell() {  # FILE TEXT
  interrupted=yes
  printf '%s' "$2" >"$run_directory/.$1.new" && mv "$run_directory/.$1.new" "$run_directory/$1"
}
give_notice() {
  echo "slipway: the end of the job is near: notice given"
  tell "notice.$attempt" "end of the job"
}
stop() {
  echo "slipway: the job is to end: the program is asked to stop"
  tell stop "the job was told to end"
}
rm -f "$run_directory/notice.$attempt" "$run_directory/stop"
"${launch[@]}" &
launcher=$!
trap give_notice @SIGNAL@
trap stop TERM INT
[ -z "$early_notice" ] || give_notice
await "$launcher"
trap '' TERM INT @SIGNAL@
)bash";

// The run directory knows best how the run ended; a launcher's own code only counts where no run began. A run that was
// cut off has the last words of the rank that crashed, or lost a rank without a word.
inline constexpr std::string_view verdict_text = R"bash(if [ "$(field attempt)" = "$attempt" ]; then
  said=$(field exit_status)
  last_words=$(find "$run_directory/logs" -name '*.failure.json' 2>/dev/null | head -n 1)
  status=${said:-${last_words:+1}}
  status=${status:-3}
elif [ "$status" = 0 ] && [ "$attempt" -gt 1 ]; then
  status=3  # the launcher is content, but no run began
fi
echo "slipway: attempt $attempt ended with status $status"
)bash";

inline constexpr std::string_view requeue_text =
    R"bash(# Status 75 asks for another attempt. Where the last one brought nothing, another would not either.
if [ "$status" = 75 ]; then
  restarts=${SLURM_RESTART_COUNT:-0}
  progress=$(field progress_number)
  before=$(cat "$run_directory/requeue.progress" 2>/dev/null)
  if [ "${before:-0}" -gt 0 ] && [ "${progress:-0}" -le "$before" ]; then
    echo "slipway: not requeued: no progress since attempt $((attempt - 1)) (still at $before)"
  elif [ "$restarts" -ge @MOST@ ]; then
    echo "slipway: not requeued: this was restart $restarts of at most @MOST@"
  else
    echo "${progress:-0}" >"$run_directory/requeue.progress"
    echo "slipway: requeued for attempt $((attempt + 1))"
    trap - TERM
    scontrol requeue "@ID@" && sleep 60  # which ends this script
    echo "slipway: scontrol could not requeue job @ID@"
  fi
fi
)bash";

// A rank that is lost need not mean a lost node: the scheduler must agree, and takes its time.
inline constexpr std::string_view node_failure_text =
    R"bash(# Status 3 is a lost rank. If its node is lost as well, the job goes on without that node,
# which the scheduler gives to nobody.
if [ "$status" = 3 ]; then
  host=$(sed -n 's/.*"host": "\([^".]*\).*/\1/p' "$run_directory/status.json" 2>/dev/null | head -n 1)
  for ((look = 0; look < 60; look++)); do
    state=$(sinfo --noheader --nodes="$host" --format=%T 2>/dev/null | head -n 1)
    case $state in
      down* | *"*")
        if [ "${SLURM_RESTART_COUNT:-0}" -ge @MOST@ ]; then break; fi
        echo "slipway: node $host is $state: requeued for attempt $((attempt + 1)) without it"
        trap - TERM
        scontrol requeue "@ID@" && sleep 60  # which ends this script
        break
        ;;
    esac
    sleep 1
  done
  echo "slipway: not requeued: node ${host:-of the lost rank} is ${state:-unknown} for the scheduler"
fi
)bash";

// A run that has begun is not begun again: its times would be those of a part.
inline constexpr std::string_view series_text = R"bash(run=''
ending=''
end() {
  interrupted=yes
  ending=yes
  [ -z "$run" ] || kill -TERM "$run" 2>/dev/null
}
trap end TERM INT @SIGNAL@
worst=0
for directory in "${runs[@]}"; do
  if [ -e "$directory/.attempt-1" ]; then continue; fi
  if [ -n "$ending" ]; then
    worst=75
    break
  fi
  echo "slipway: job $SLURM_JOB_ID runs $directory"
  bash -l "$directory/batch.sh" >"$directory/slurm-$SLURM_JOB_ID.out" 2>&1 </dev/null &
  run=$!
  await "$run"
  run=''
  echo "slipway: it ended with status $status"
  if [ "$status" -ne 0 ] && [ "$worst" -eq 0 ]; then worst=$status; fi
done
exit "$worst"
)bash";

}  // namespace slipway::slurm
