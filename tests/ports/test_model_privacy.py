"""The built-in models keep to themselves: they write nothing and report nothing."""

import subprocess
import sys

_LOAD = """
from vivavoce.adapters.embedders.weights import BGE_SMALL, Model

model = Model(BGE_SMALL, threads=1)
print(model.run([model.tokenizer.encoded("hello", 16)]).shape)
"""


def test_loading_a_model_leaves_nothing_in_the_users_folder(tmp_path):
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", _LOAD], env=environment, capture_output=True, text=True, check=True
    )

    assert "384" in done.stdout
    assert list(tmp_path.rglob("*")) == []
