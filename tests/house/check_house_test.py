# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""The house rules find what they are there to find."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_house  # noqa: E402  pylint: disable=wrong-import-position

HEAD = "// SPDX-FileCopyrightText: 2026 The slipway authors\n// SPDX-License-Identifier: Apache-2.0\n"


def violations(rule: str, name: str, text: str) -> list[str]:
    with tempfile.TemporaryDirectory() as root:
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return list(check_house.RULES[rule](check_house.House(pathlib.Path(root))))


class Rules(unittest.TestCase):
    def assert_refused(self, rule: str, name: str, text: str = HEAD):
        self.assertEqual(len(violations(rule, name, text)), 1, f"{rule} {name}")

    def assert_accepted(self, rule: str, name: str, text: str = HEAD):
        self.assertEqual(violations(rule, name, text), [], f"{rule} {name}")

    def test_include_direction(self):
        self.assert_refused("includes", "core/graph/src/x.cpp", '#include "slipway/rpc/future.hpp"\n')
        self.assert_refused("includes", "local/src/x.cpp", "# include <slipway/mpi/engine.hpp>\n")
        self.assert_refused("includes", "core/runtime/src/x.cpp", '#include "slipway/mpi/engine.hpp"\n')
        self.assert_accepted("includes", "core/runtime/launch/x.cpp", '#include "slipway/mpi/engine.hpp"\n')
        self.assert_accepted("includes", "core/rpc/src/x.cpp", '#include "slipway/graph/graph.hpp"\n')
        self.assert_refused("includes", "examples/a/a.cpp", '#include "../core/rpc/src/x.hpp"\n')

    def test_foreign_headers_and_calls(self):
        self.assert_refused("foreign", "core/rpc/src/x.cpp", "#include <mpi.h>\n")
        self.assert_refused("foreign", "mpi_transport/include/slipway/mpi/x.hpp", "#include <mpi.h>\n")
        self.assert_refused("foreign", "core/base/include/slipway/base/x.hpp", "#include <hdf5.h>\n")
        self.assert_refused("foreign", "core/rpc/src/x.cpp", "int r = MPI_Send(a);\n")
        self.assert_refused("foreign", "examples/stencil_ensemble/x.cpp", "#include <mpi.h>\n")
        self.assert_refused("foreign", "examples/other/plate.hpp", "int r = MPI_Send(a);\n")
        self.assert_accepted("foreign", "examples/stencil_ensemble/plate.hpp", "#include <mpi.h>\n")
        self.assert_accepted("foreign", "mpi_transport/src/x.cpp", "#include <mpi.h>\nint r = MPI_Send(a);\n")

    def test_licence_length_marks_and_top_level(self):
        self.assert_refused("licence", "core/base/src/x.cpp", "int x;\n")
        self.assert_accepted("licence", "core/base/src/x.cpp")
        self.assert_refused("length", "core/base/src/x.cpp", "\n" * 501)
        self.assert_accepted("length", "core/base/src/x.cpp", "\n" * 500)
        self.assert_refused("finished", "core/base/src/x.cpp", "// TO" "DO later\n")
        self.assert_refused("top_level", "stray/x.cpp")
        self.assert_accepted("top_level", "core/x.cpp")


if __name__ == "__main__":
    unittest.main()
