"""`python -m agenticos_app.cli`."""

import sys

from agenticos_app.cli.main import main

sys.exit(main())
