"""Run one of this repository's commands in an environment of its own: `dev.py demo`, `dev.py test`.

Needs Python 3.11 or newer with pip. The first call installs uv and hatch into `.tools`; every
call then is `hatch run <arguments>`, from the root; `test:all` and `test:affected` are variants of
`test`, in the same environment. Nothing outside the checkout is written.
"""

import os
import subprocess
import sys
from pathlib import Path

UV, HATCH = "uv==0.13.8", "hatch==1.18.2"
ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".tools"
SUFFIX = ".exe" if os.name == "nt" else ""
SYSTEM_CERTS = "UV_SYSTEM_CERTS"
VARIANTS = {"test:all": ["test", "--all"], "test:affected": ["affected"]}


def pip_index() -> dict[str, str]:
    """Return the package index that pip is configured to use as a setting of uv's."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    found = {key: value.strip("'\"") for key, _, value in (line.partition("=") for line in lines)}
    keys = (":env:.index-url", "install.index-url", "global.index-url")
    return next(({"UV_DEFAULT_INDEX": found[key]} for key in keys if key in found), {})


def fetched(command: list[str], environ: dict[str, str]) -> bool:
    """Run uv; say whether it took the system's certificates, where its own are not enough.

    Those of the proxy of a company are in the system's store. It is not taken from the start:
    there are systems without one, with which uv then fails.
    """
    tried = subprocess.run(command, env=environ, stderr=subprocess.PIPE, text=True)
    again = SYSTEM_CERTS not in environ and "certificate" in tried.stderr
    if not tried.returncode or not again:
        print(tried.stderr, end="", file=sys.stderr)
        tried.check_returncode()
        return False
    subprocess.run(command, env=environ | {SYSTEM_CERTS: "true"}, check=True)
    return True


def main(arguments: list[str]) -> int:
    """Install what is missing, then hand the arguments to hatch."""
    if sys.version_info < (3, 11):
        sys.exit("Weft needs Python 3.11 or newer: call this script with such a Python")
    if not arguments:
        sys.exit(__doc__)
    arguments = [*VARIANTS.get(arguments[0], arguments[:1]), *arguments[1:]]
    uv = TOOLS / UV.replace("==", "-") / "bin" / f"uv{SUFFIX}"
    hatch = TOOLS / HATCH.replace("==", "-")
    python = hatch / ("Scripts" if SUFFIX else "bin") / f"python{SUFFIX}"
    config, certs = hatch / "config.toml", hatch / "system-certs"
    settings = {
        "HATCH_CONFIG": config,
        "HATCH_DATA_DIR": TOOLS / "data",
        "HATCH_CACHE_DIR": TOOLS / "cache" / "hatch",
        "HATCH_ENV_TYPE_VIRTUAL_UV_PATH": uv,
        "UV_CACHE_DIR": TOOLS / "cache" / "uv",
        "UV_PYTHON_INSTALL_DIR": TOOLS / "python",
        "PYTHONPYCACHEPREFIX": TOOLS / "cache" / "bytecode",
    }
    index = {} if {"UV_DEFAULT_INDEX", "UV_INDEX_URL"} & os.environ.keys() else pip_index()
    environ = {key: str(value) for key, value in settings.items()} | index | dict(os.environ)
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if not config.exists():
        pip = [sys.executable, "-m", "pip", "--quiet", "--no-cache-dir", "install", "--upgrade"]
        target = ["--root-user-action=ignore", "--target", str(uv.parent.parent)]
        subprocess.run([*pip, *target, UV], check=True)
        venv = [str(uv), "venv", "--quiet", "--clear", "--python", sys.executable, str(hatch)]
        subprocess.run(venv, check=True, env=environ)
        install = [str(uv), "pip", "install", "--quiet", "--python", str(python), HATCH]
        if fetched(install, environ):
            certs.touch()
        config.touch()
    if certs.exists():
        environ.setdefault(SYSTEM_CERTS, "true")
    return subprocess.call([str(python), "-m", "hatch", "run", *arguments], cwd=ROOT, env=environ)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
