"""The picture of a bench: what is plotted is what was measured."""

from __future__ import annotations

import importlib
import struct
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from certile.cli.bench import command as bench
from certile.cli.bench.charts import bench_figure, check_plot, save
from certile.cli.bench.contest import Case, Figure
from certile.cli.main import app
from certile.diagnostics import ArgumentError, UnsupportedError

OPS = tuple(f"operation_{n}" for n in range(12))
TIMES = {"certile out=": 1e-3, "certile": 1.5e-3, "torch": 4e-3}


def figures() -> list[Figure]:
    """Rows as a race gives them: the time of case n is n + 1 times that of the first."""
    return [
        Figure(
            Case(op, (64, 512 * (n + 1))),
            name,
            (n + 1) * seconds,
            seconds,
            0.1,
            bytes=4000 * (n + 1) ** 2,
            ratio_to_copy=0.5,
            own_copy_speed=3e6,
        )
        for n, op in enumerate(OPS)
        for name, seconds in TIMES.items()
    ]


def test_bandwidths_are_those_of_the_rows() -> None:
    rows = figures()
    speeds = bench_figure(rows).axes[0]
    plotted = {line.get_label(): list(line.get_xdata()) for line in speeds.get_lines()}
    for name in TIMES:
        own = [row for row in rows if row.contestant == name]
        assert plotted[name] == pytest.approx([row.bytes / row.median / 1e9 for row in own])
    marks = {each.get_label(): each.get_segments() for each in speeds.collections}
    copies = [segment[0][0] for segment in marks["PyTorch's copy"]]
    of_given = [row for row in rows if row.contestant == "certile out="]
    assert copies == pytest.approx([2 * row.bytes / row.median / 1e9 for row in of_given])
    own_copies = marks["copy by a kernel of certile"]
    assert [segment[0][0] for segment in own_copies] == pytest.approx([3e-3] * 12)


def test_ratios_are_times_over_certile_with_spread() -> None:
    ratios = bench_figure(figures()).axes[1]
    assert ratios.get_xscale() == "log"
    drawn = {each.get_label(): each for each in ratios.containers}
    for name, seconds in TIMES.items():
        line, _, (bars,) = drawn[name].lines
        ratio = seconds / TIMES["certile out="]
        assert list(line.get_xdata()) == pytest.approx([ratio] * 12)
        ends = [tuple(segment[:, 0]) for segment in bars.get_segments()]
        assert ends == [pytest.approx((0.95 * ratio, 1.05 * ratio))] * 12
    assert any(list(line.get_xdata()) == [1.0, 1.0] for line in ratios.get_lines())


def test_a_wrong_contestant_has_no_place() -> None:
    rows = [*figures()[:2]]
    wrong = Figure(rows[0].case, "mlx", 1e-9, 1e-9, 0.0, 1, None, "off by 1")
    plotted = bench_figure([*rows, wrong]).axes[0].get_lines()
    assert [len(line.get_xdata()) for line in plotted if line.get_label() == "mlx"] == [0]


def test_labels_of_twelve_operations_do_not_overlap() -> None:
    drawn = bench_figure(figures())
    drawn.draw_without_rendering()
    boxes = [label.get_window_extent() for label in drawn.axes[0].get_yticklabels()]
    assert [label.get_text().split()[0] for label in drawn.axes[0].get_yticklabels()] == [*OPS]
    boxes.sort(key=lambda box: box.y0)
    assert all(low.y1 < high.y0 for low, high in pairwise(boxes))
    assert min(box.x0 for box in boxes) >= 0


def test_a_file_is_a_png_of_the_figures_size(tmp_path: Path) -> None:
    drawn = bench_figure(figures())
    save(drawn, tmp_path / "times.png")
    data = (tmp_path / "times.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == tuple(int(120 * inches) for inches in drawn.get_size_inches())
    assert 600 < height < 4000


def test_a_picture_that_cannot_be_is_refused_before_the_race(tmp_path: Path) -> None:
    for path in (tmp_path / "times.jpg", tmp_path / "none" / "times.png"):
        with pytest.raises(ArgumentError, match="A311"):
            check_plot(path)
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(ArgumentError, match="Is a directory"):
        save(bench_figure(figures()), tmp_path / "folder.png")


def test_without_matplotlib_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def absent(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(UnsupportedError, match=r"U504[\s\S]*certile\[plot\]"):
        check_plot(tmp_path / "times.png")


def test_bench_draws_what_it_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_SECONDS_A_CASE", 0.02)
    path = tmp_path / "times.png"
    arguments = ["--ops", "sum", "--shapes", "8x64", "--against", "numpy", "--plot", str(path)]
    done = CliRunner().invoke(app, ["bench", *arguments])
    assert done.exit_code == 0
    assert path.stat().st_size > 5000
    assert "numpy out=" in done.stdout
    assert all(word in done.stdout for word in ("of copy", "ratio"))
