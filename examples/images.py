"""Find the odd images, and show which of their pixels are unexpected.

An image is a row of non-negative numbers: how bright each pixel is. `TONMF` explains the images by a few that add up, its
topics, and puts what they cannot explain into the outlier matrix Z, whose rows are images again. Both data sets are made from
what comes with scikit-learn:

- *video*: 300 frames of a camera that sways over a photograph of a temple, in changing light and with noise; in 9 of them,
  a piece of another photograph, of a flower, hides a part;
- *digits*: 500 handwritten digits of three kinds, and 15 of a fourth.

Beside it: the residual of a truncated SVD of as many components, k-NN and isolation forest on the same rows.

    python examples/images.py
    python examples/images.py --draws 1 --figure images.png
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits, load_sample_image
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score

from tonmf import TONMF
from tonmf.baselines import KNNDistance, SVDScore

HEIGHT, WIDTH, PIECE = 48, 72, 14
N_TOPICS = 10
METHODS = "tonmf", "SVD residual", "k-NN, k = 5", "isolation forest"


def photograph(name):
    """Return a photograph of scikit-learn in grey, a third as wide and high, from 0 to 1."""
    grey = load_sample_image(name).mean(axis=2)[:426, :639] / 255
    return grey.reshape(142, 3, 213, 3).mean(axis=(1, 3))


def video(seed, n_frames=300, n_odd=9):
    """Return frames as rows, labels (1 for frames with a piece of the flower), and the shape of a frame."""
    rng = np.random.default_rng(seed)
    temple, flower = photograph("china.jpg"), photograph("flower.jpg")
    labels = rng.permutation(np.arange(n_frames) < n_odd).astype(int)
    frames = []
    for number, odd in enumerate(labels):
        left = 70 + round(6 * np.sin(number / 9) + rng.normal(0, 0.5))
        frame = temple[40 : 40 + HEIGHT, left : left + WIDTH] * (0.8 + 0.2 * np.sin(number / 40))
        if odd:
            top, start = rng.integers(HEIGHT - PIECE), rng.integers(WIDTH - PIECE)
            frame[top : top + PIECE, start : start + PIECE] = flower[60 : 60 + PIECE, 100 : 100 + PIECE]
        frames.append(np.clip(frame + rng.normal(0, 0.02, frame.shape), 0, 1).ravel())
    return np.array(frames), labels, (HEIGHT, WIDTH)


def digits(seed, n_ordinary=500, n_odd=15):
    """Return handwritten digits as rows, labels (1 for digits of the fourth kind), and the shape of an image."""
    rng = np.random.default_rng(seed)
    X, kinds = load_digits(return_X_y=True)
    *three, fourth = rng.permutation(10)[:4]
    ordinary = rng.permutation(np.flatnonzero(np.isin(kinds, three)))[:n_ordinary]
    rows = rng.permutation([*ordinary, *rng.permutation(np.flatnonzero(kinds == fourth))[:n_odd]])
    return X[rows] / 16, (kinds[rows] == fourth).astype(int), (8, 8)


DATA = {"video": video, "digits": digits}


def fit(X, seed):
    """Return the model, fitted."""
    return TONMF(n_topics=N_TOPICS, random_state=seed).fit(X)


def score(X, seed):
    """Return the scores of all rows by each method; higher is stranger."""
    yield fit(X, seed).outlier_scores_
    yield SVDScore(N_TOPICS, score_by="residual", random_state=seed).fit(X).outlier_scores_
    yield KNNDistance(5, score_by="mean").fit(X).outlier_scores_
    yield -IsolationForest(random_state=seed).fit(X).score_samples(X)


def measure(n_draws):
    """Print a table of ROC AUC and average precision: means over draws."""
    print("| images |", " | ".join(METHODS), "|\n" + "|---" * (1 + len(METHODS)) + "|")
    for name, draw in DATA.items():
        figures = np.zeros((len(METHODS), 2))
        for seed in range(n_draws):
            X, labels, _ = draw(seed)
            for figure, scores in zip(figures, score(X, seed), strict=True):
                figure += roc_auc_score(labels, scores), average_precision_score(labels, scores)
        print(f"| {name} |", " | ".join(f"{auc:.3f} ({ap:.3f})" for auc, ap in figures / n_draws), "|")


def draw_reasons(file, n_shown=6):
    """Draw the strangest images of each data set, and below each what the topics cannot explain of it."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(4, n_shown, figsize=(9, 5), layout="constrained")
    for (above, below), (name, draw) in zip((axes[:2], axes[2:]), DATA.items(), strict=True):
        X, labels, shape = draw(seed=0)
        model = fit(X, seed=0)
        strangest = np.argsort(-model.outlier_scores_)[:n_shown]
        unexpected = model.outlier_matrix(X, strangest)
        limit = abs(unexpected).max()
        for place, (row, rest) in enumerate(zip(strangest, unexpected, strict=True)):
            above[place].imshow(X[row].reshape(shape), cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            below[place].imshow(rest.reshape(shape), cmap="RdBu_r", vmin=-limit, vmax=limit, interpolation="nearest")
            above[place].set_title("planted" if labels[row] else "not planted", fontsize=9)
        above[0].set_ylabel(f"{name}: image")
        below[0].set_ylabel("unexpected")
    for axis in axes.flat:
        axis.set(xticks=[], yticks=[])
    figure.savefig(file, dpi=90)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Find odd images, and show which of their pixels are unexpected.")
    parser.add_argument("--draws", type=int, default=5, help="number of random draws (default: 5)")
    parser.add_argument("--figure", help="where to write a picture of the strangest images")
    options = parser.parse_args()
    measure(options.draws)
    if options.figure:
        draw_reasons(options.figure)
