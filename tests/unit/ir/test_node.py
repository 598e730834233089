"""Making nodes: equal ones are one, whatever else the thread does meanwhile."""

import threading

from certile.ir.dtypes import i64
from certile.ir.tile import Const
from certile.ir.types import TileType

SCALAR = TileType(i64, ())


class Interrupting(int):
    """A number that makes a node where a finalizer or a signal handler could: in the table."""

    def __hash__(self):
        Const(value=7, type=SCALAR)
        return super().__hash__()


def test_a_node_may_be_made_while_another_is_made():
    made = []
    thread = threading.Thread(
        target=lambda: made.append(Const(value=Interrupting(3), type=SCALAR)), daemon=True
    )
    thread.start()
    thread.join(timeout=20)
    assert [type(each.value) for each in made] == [Interrupting]
    assert Const(value=7, type=SCALAR) is Const(value=7, type=SCALAR)
