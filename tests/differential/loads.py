"""Loads of a Machine IR kernel, counted in its text: independent of what analyses say of reads."""

from certile.ir.machine import Constant, For, Load


def machine_loads(kernel, buffer):
    """Elements that a lane loads: in every run, and in loops of no or one round."""
    constants = {}

    def loads(block):
        usual = again = 0
        for operation in block.operations:
            inside = [loads(inner) for inner in operation.blocks()]
            if isinstance(operation, Constant):
                constants[operation.result] = operation.value
            elif isinstance(operation, Load):
                usual += operation.buffer.name == buffer
            elif isinstance(operation, For) and operation.stop not in constants:
                again += sum(inside[0])
            elif isinstance(operation, For):
                limits = (operation.start, operation.stop, operation.step)
                rounds = len(range(*(constants[value] for value in limits)))
                usual, again = usual + rounds * inside[0][0], again + rounds * inside[0][1]
            else:
                usual += sum(part[0] for part in inside)
                again += sum(part[1] for part in inside)
        return usual, again

    return loads(kernel.body)
