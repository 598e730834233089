"""The sentences of the demo: pairs that say nearly the same, in an order that separates them."""

PAIRS: tuple[tuple[str, str], ...] = (
    ("The ferry left the harbour before sunrise.", "At dawn the boat had already sailed."),
    ("Our oven is broken, so there is no bread today.", "We cannot bake because the stove failed."),
    ("The committee rejected the new budget.", "The spending plan was voted down."),
    ("She plays the cello in a small orchestra.", "Her instrument in the ensemble is the cello."),
    (
        "Heavy rain flooded the lower streets.",
        "After the storm, water stood in the alleys downtown.",
    ),
    ("The program crashes when the file is empty.", "An empty input makes the software fail."),
    ("He forgot his keys at the office.", "His keys are still lying on his desk at work."),
    ("The telescope found a planet around a distant star.", "Astronomers discovered a new world."),
    (
        "Tomatoes need warm soil and a lot of light.",
        "To grow well, tomato plants want sun and heat.",
    ),
    ("The train to the coast was an hour late.", "Passengers waited sixty minutes for the train."),
    ("The museum opens at ten on weekdays.", "From Monday to Friday visitors may enter at ten."),
    ("Prices of copper rose for the third month.", "Copper became more expensive once again."),
)

SENTENCES: tuple[str, ...] = tuple(a for a, _ in PAIRS) + tuple(b for _, b in PAIRS)

# A longer text, for times: the model is run on paragraphs far more often than on single lines.
PARAGRAPHS: tuple[str, ...] = tuple(
    " ".join(SENTENCES[(first + step) % len(SENTENCES)] for step in range(10))
    for first in range(len(SENTENCES))
)
