# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_example.py VARIANT -- COMMAND ARGS...

Runs one example in an empty directory and checks what it said and left behind.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

import h5py


def require(condition, problem):
    if not condition:
        raise SystemExit(f"check_example: {problem}")


def match(pattern, text):
    found = re.search(pattern, text)
    require(found, f"nothing like '{pattern}' was said")
    return found


def producer_consumer(text, _):
    match(r"the sum of 30 draws is 1448\b", text)


def map_reduce(text, _):
    files = {path.resolve() for path in pathlib.Path("/usr/share/common-licenses").rglob("*") if path.is_file()}
    words = collections.Counter(word for path in files for word in re.findall(rb"[a-z]+", path.read_bytes().lower()))
    match(rf"\b{sum(words.values())} words, {len(words)} different ones, in {len(files)} files", text)
    for word, count in words.most_common(3):
        match(rf"\b{count} {word.decode()}\b", text)
    match("the serial count is the same", text)


def parameter_server(text, run, mode, updates):
    said = match(rf"{mode}, 3 trainers, 2 shards: accuracy (0\.\d+|1\.0+), \d+ updates/s", text)
    with h5py.File(run / "result" / "result.h5") as file:
        options = {"mode": mode, "trainers": 3, "shards": 2, "updates": updates, "batch": 32, "hidden": 128}
        for name, value in options.items():
            require(file.attrs[name] == value, f"the attribute {name} of the result is {file.attrs[name]}, not {value}")
        curve = {name: dataset[:] for name, dataset in file["curve"].items()}
        require(curve.keys() == {"updates", "seconds", "loss", "accuracy"}, f"the curves are {sorted(curve)}")
        require(list(curve["updates"]) == [updates * i // 10 for i in range(11)], "the curve has the wrong updates")
        require((curve["seconds"][1:] >= curve["seconds"][:-1]).all(), "time went backwards")
        require(curve["loss"][-1] < curve["loss"][0] / 10, "the loss hardly fell")
        require(curve["accuracy"][-1] >= 0.97, f"the accuracy is only {curve['accuracy'][-1]}")
        require(abs(curve["accuracy"][-1] - float(said[1])) < 1e-3, "the file and the program differ on the accuracy")
        require(file["parameters"].shape == (9610,), f"there are {file['parameters'].shape} parameters")


def parameter_server_async(text, run):
    parameter_server(text, run, "asynchronous", 6000)


def parameter_server_sync(text, run):
    parameter_server(text, run, "synchronous", 4000)


def evolution_solved(text, _):
    match(r"3 evaluators, 32 pairs, solved 1\.00: ", text)


def evolution_straggler(text, _):
    match(r"generation +10 +solved 0\.\d+ +dropped pairs [1-9]", text)
    match(r"3 evaluators, 32 pairs, solved 0\.\d+: [\d.]+ generations/s", text)


def learning_bulk(text, _):
    match(r"5 rounds by tasks give the policy of plain calls, to the last bit", text)
    match(r"bulk: \d+ rounds in .* solved 100 of 100 starts", text)


def learning_pipelined(text, _):
    match(r"pipelined: \d+ rounds in .* solved 100 of 100 starts", text)


def learning_search(text, _):
    match(r"search: \d+ rounds in .* solved 100 of 100 starts", text)


def numbers(pattern, text):
    return [float(number) for number in match(pattern, text).groups()]


def recurrent(text, groups, largest_error):
    match("tasks and plain calls give the same, to the last bit", text)
    cells, calls, tasks = numbers(r"(\d+) cells: ([\d.]+) ms by plain calls, ([\d.]+) ms by tasks", text)
    cores, packed, share, chain = numbers(r"packed perfectly on (\d+) cores: ([\d.]+) ms, of which tasks reach (\d+) "
                                          r"%; the longest chain: ([\d.]+) ms", text)
    require(cells == groups * 200 * 4, f"there are {cells} cells")
    require(0 < chain < calls, f"the longest chain takes {chain} ms, and all {calls} ms")
    require(abs(packed - max(chain, calls / cores)) < 0.2, f"{packed} ms is no perfect packing")
    require(abs(share - 100 * packed / tasks) < 1.5, f"{packed} ms are not {share} % of {tasks} ms")
    error, = numbers(r"error of 10 steps ahead, for series never seen: (\d\.\d+)", text)
    require(error < largest_error, f"the error is {error}")


def recurrent_network(text, _):
    recurrent(text, 3, 0.01)


def recurrent_narrow(text, _):
    recurrent(text, 2, 0.2)


def hyperparameters(text, places, epochs, least_saved, least_accuracy):
    match("plain calls find the same models on each rung, to the last bit", text)
    lines = re.findall(r" (\d+) +(\d+) +(\d+) +(\d+) +([01]\.\d{4}) +([01]\.\d{4})\n", text)
    rows = sorted({tuple(map(float, line)) for line in lines})
    require([row[:3] for row in rows] == [(rung, *row) for rung, row in enumerate(zip(epochs, places))],
            f"the rungs are {rows}")
    require(all(best >= worst for *_, best, worst in rows), "the best is worse than the worst")
    trained, everything, saved = numbers(r"(\d+) epochs at most, where all trials to the end have (\d+): (\d+) % saved",
                                         text)
    more = [after - before for before, after in zip([0, *epochs], epochs)]
    expected = sum((row[2] + row[3]) * each for row, each in zip(rows, more))
    require(trained == expected, f"{trained} epochs were counted, not {expected}")
    require(everything == places[0] * epochs[-1], f"to train all takes {everything} epochs?")
    require(saved == 100 * (everything - trained) // everything and saved >= least_saved, f"saved are {saved} %")
    accuracy, = numbers(r"accuracy on held-out images ([01]\.\d+)", text)
    require(accuracy >= least_accuracy, f"the accuracy is only {accuracy}")


def hyperparameter_search(text, _):
    hyperparameters(text, [27, 9, 3, 1], [2, 6, 18, 54], 60, 0.94)


def hyperparameter_many(text, _):
    hyperparameters(text, [40, 20, 10, 5, 2, 1], [1, 2, 4, 8, 16, 32], 50, 0.93)


def tree_search(text, opponent, games, least):
    played = {int(game): (place, float(gets)) for game, place, gets in
              re.findall(r"game +(\d+): search moves (first|second), gets ([\d.]+) after \d+ stones", text)}
    require(sorted(played) == list(range(1, games + 1)), f"the games are {sorted(played)}")
    for game, (place, _) in played.items():
        require(place == ("first" if game % 2 == 1 else "second"), f"in game {game} the search moves {place}")
    score, others, playouts = match(rf"search ([\d.]+), {opponent} ([\d.]+) in {games} games; (\d+) playouts", text).groups()
    require(float(score) == sum(gets for _, gets in played.values()), f"the games do not add up to {score}")
    require(float(score) + float(others) == games, f"{score} and {others} are not {games}")
    require(int(playouts) > 0, "nothing was played out")
    require(float(score) >= least, f"the search gets only {score} of {games}")


def tree_search_check(text, _):
    tree_search(text, "look_ahead", 2, 1)
    match(r"all [1-9]\d* moves by tasks are those of plain calls", text)


def tree_search_look_ahead(text, _):
    tree_search(text, "look_ahead", 6, 5)


def tree_search_tenth(text, _):
    tree_search(text, "search", 12, 7)


def tree_search_timed(text, _):
    tree_search(text, "look_ahead", 4, 2.5)


def sensor_fusion(text, ticks, inputs):
    held, missed, fused, dropped = map(int, match(
        r"(\d+) ticks held, (\d+) missed; (\d+) inputs fused, (\d+) dropped", text).groups())
    require(held + missed == ticks, f"{held} and {missed} are not {ticks} ticks")
    require(fused + dropped == inputs, f"{fused} and {dropped} are not {inputs} inputs")
    match(rf"a plain loop over the same inputs gives the same {held} estimates, to the last bit", text)
    return missed, dropped


def sensor_fusion_all(text, _):
    require(sensor_fusion(text, 20 * 50, 20 * (50 + 20 + 5)) == (0, 0), "something was missed or dropped")
    fused, *alone = map(float, match(
        r"error ([\d.]+) m; accelerometer alone ([\d.]+) m, odometer alone ([\d.]+) m, gps alone ([\d.]+) m",
        text).groups())
    require(0 < fused < 0.75 * min(alone), f"the error is {fused} m, and {min(alone)} m with one sensor")


def sensor_fusion_late(text, _):
    _, dropped = sensor_fusion(text, 4 * 50, 4 * (50 + 20 + 5))
    require(dropped > 0, "nothing was dropped, although inputs are late")


def ensemble(text, size):
    match("the plain solver gives the same, to the last bit", text)
    found = match(rf"24 solvers of {size} ranks: conductivity (0\.\d+), and 0\.13750 was to be found", text)
    require(abs(float(found[1]) - 0.1375) < 0.001, f"the conductivity is {found[1]}")


def ensemble_of_single_ranks(text, _):
    ensemble(text, 1)


def ensemble_of_gangs(text, _):
    ensemble(text, 2)


def main():
    variant, separator, *command = sys.argv[1:]
    require(separator == "--" and command, "use: check_example.py VARIANT -- COMMAND ARGS...")
    with tempfile.TemporaryDirectory() as directory:
        run = pathlib.Path(directory) / "run"
        finished = subprocess.run([*command, f"--slipway-run-directory={run}"], cwd=directory, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = finished.stdout + "".join(log.read_text() for log in sorted((run / "logs").glob("*.log")))
        print(text, flush=True)
        require(finished.returncode == 0, f"the status is {finished.returncode}, not 0")
        globals()[variant](text, run)


if __name__ == "__main__":
    main()
