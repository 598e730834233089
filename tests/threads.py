"""Work done by several threads at once."""

import threading
from collections.abc import Callable, Iterable
from typing import Any


def in_threads(work: Callable[[Any], object], given: Iterable[Any]) -> None:
    """Call `work` with each thing that is given, each in a thread of its own; wait for all."""
    threads = [threading.Thread(target=work, args=(each,)) for each in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
