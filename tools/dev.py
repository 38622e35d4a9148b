"""Run one of this repository's commands in an environment of its own: `dev.py demo`, `dev.py test`.

Needs Python 3.11 or newer with pip. The first call installs uv and hatch into `.tools`; every
call then is `hatch run <arguments>`, from the root. Nothing outside the checkout is written.
"""

import os
import subprocess
import sys
from pathlib import Path

UV, HATCH = "uv==0.13.8", "hatch==1.18.2"
ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".tools"
SUFFIX = ".exe" if os.name == "nt" else ""


def pip_index() -> dict[str, str]:
    """Return the package index that pip is configured to use as a setting of uv's."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    found = {key: value.strip("'\"") for key, _, value in (line.partition("=") for line in lines)}
    keys = (":env:.index-url", "install.index-url", "global.index-url")
    return next(({"UV_DEFAULT_INDEX": found[key]} for key in keys if key in found), {})


def main(arguments: list[str]) -> int:
    """Install what is missing, then hand the arguments to hatch."""
    if sys.version_info < (3, 11):
        sys.exit("Weft needs Python 3.11 or newer: call this script with such a Python")
    if not arguments:
        sys.exit(__doc__)
    uv = TOOLS / UV.replace("==", "-") / "bin" / f"uv{SUFFIX}"
    hatch = TOOLS / HATCH.replace("==", "-")
    python = hatch / ("Scripts" if SUFFIX else "bin") / f"python{SUFFIX}"
    config = hatch / "config.toml"
    settings = {
        "HATCH_CONFIG": config,
        "HATCH_DATA_DIR": TOOLS / "data",
        "HATCH_CACHE_DIR": TOOLS / "cache" / "hatch",
        "HATCH_ENV_TYPE_VIRTUAL_UV_PATH": uv,
        "UV_CACHE_DIR": TOOLS / "cache" / "uv",
        "UV_PYTHON_INSTALL_DIR": TOOLS / "python",
    }
    index = {} if {"UV_DEFAULT_INDEX", "UV_INDEX_URL"} & os.environ.keys() else pip_index()
    environ = {key: str(value) for key, value in settings.items()} | index | dict(os.environ)
    if not config.exists():
        pip = [sys.executable, "-m", "pip", "--quiet", "--no-cache-dir", "install", "--upgrade"]
        target = ["--root-user-action=ignore", "--target", str(uv.parent.parent)]
        subprocess.run([*pip, *target, UV], check=True)
        venv = [str(uv), "venv", "--quiet", "--clear", "--python", sys.executable, str(hatch)]
        subprocess.run(venv, check=True, env=environ)
        install = [str(uv), "pip", "install", "--quiet", "--python", str(python), HATCH]
        subprocess.run(install, check=True, env=environ)
        config.touch()
    return subprocess.call([str(python), "-m", "hatch", "run", *arguments], cwd=ROOT, env=environ)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
