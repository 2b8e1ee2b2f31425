# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_consumer.py WAY SOURCE BUILD FOLDER [-DNAME=VALUE]...: builds and runs the user's project beside this file in FOLDER.

WAY find_package installs BUILD first, then moves the install tree, since it has to be relocatable. Way fetch_content stops
after configuring: what follows is the same as with add_subdirectory.
"""

import pathlib
import shutil
import subprocess
import sys


def run(*words: object, **options: object) -> str:
    command = [str(word) for word in words]
    print("$", *command, flush=True)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    print(result.stdout, flush=True)
    if result.returncode != 0:
        sys.exit(f"ended with status {result.returncode}: {' '.join(command)}")
    return result.stdout


def install_elsewhere(build: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    first, second = folder / "installed", folder / "moved"
    run("cmake", "--install", build, "--prefix", first)
    first.rename(second)
    foreign = [str(path) for path in second.rglob("*.cmake") if str(build) in path.read_text(encoding="utf-8")]
    if foreign:
        sys.exit(f"names the build tree: {foreign}")
    return second


def main() -> None:
    way, source, build, folder = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    settings = [*sys.argv[5:], f"-DCONSUMER_WAY={way}", f"-DCONSUMER_SLIPWAY={source}"]
    if way == "find_package":
        settings.append(f"-DCMAKE_PREFIX_PATH={install_elsewhere(build, folder)}")
    project = pathlib.Path(__file__).parent / "project"
    run("cmake", "-S", project, "-B", folder / "build", "-G", "Ninja", *settings)
    if way == "fetch_content":
        return
    run("cmake", "--build", folder / "build", "--parallel", 2)
    output = run(folder / "build" / "consumer", "--slipway-launcher=local", cwd=folder)
    if "sum 303" not in output:
        sys.exit("the program did not print: sum 303")


main()
