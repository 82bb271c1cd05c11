"""Qwen-Agent itself behind the callspec protocol. See README.md.

    callspec conformance run --profile qwen-agent@main \\
        --impl 'python3 qwen_agent_adapter.py --checkout ~/Qwen-Agent'
"""

import argparse
import os
import shutil
import sys
import tempfile

# Neither beside this file nor in the user's checkout.
sys.dont_write_bytecode = True

from bridge import session, stand_ins  # noqa: E402

# Version 0.0.34 was never tagged: callspec calls it by its branch. All others go by their tag.
PROFILE_OF_VERSION = {'0.0.34': 'qwen-agent@main'}


def main():
    args = read_arguments()
    answers = session.take_stdout()
    sys.path[:0] = [os.path.abspath(path) for path in args.path]
    checkout = os.path.abspath(args.checkout) if args.checkout else None
    with_own_folder(lambda: serve(checkout, args.profile, answers))


def read_arguments():
    parser = argparse.ArgumentParser(description='Qwen-Agent behind the callspec protocol.')
    parser.add_argument('--checkout', metavar='DIR', default=os.environ.get('CALLSPEC_QWEN_AGENT_CHECKOUT'),
                        help='a folder that holds "qwen_agent"; default: $CALLSPEC_QWEN_AGENT_CHECKOUT, '
                        'or the installed package')
    parser.add_argument('--path', metavar='DIR', action='append', default=[],
                        help='another folder to import from, such as one that holds the sources "json5"')
    parser.add_argument('--profile', metavar='NAME',
                        help='claims this profile instead of that of the version, such as qwen-agent@v0.0.26')
    return parser.parse_args()


def serve(checkout, profile, answers):
    stand_ins.install(checkout)
    # Only now: these modules import qwen_agent.
    from bridge import reference
    from bridge.operations import OPERATIONS, claims

    version = reference.VERSION
    about = {
        'name': 'qwen-agent',
        'version': version,
        'language': 'python',
        'supports': claims(profile or PROFILE_OF_VERSION.get(version, f'qwen-agent@v{version}')),
    }
    session.run(about, OPERATIONS, answers)


def with_own_folder(work):
    """Qwen-Agent writes a "workspace" into the current folder."""
    folder = tempfile.mkdtemp(prefix='callspec-qwen-agent-')
    os.chdir(folder)
    try:
        work()
    finally:
        os.chdir('/')
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
