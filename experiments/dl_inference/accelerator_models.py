"""The models that measure_accelerator.py measures. Each function gives a module and the shape of one input."""

import torch
from torch import nn


class Bottleneck(nn.Module):
    """A block of ResNet-50 (He et al., CVPR 2016, table 1)."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width))
        same = stride == 1 and inputs == 4 * width
        self.shortcut = nn.Identity() if same else nn.Conv2d(inputs, 4 * width, 1, stride, bias=False)

    def forward(self, x):
        return torch.relu(self.path(x) + self.shortcut(x))


def cnn():
    """[B, 3, 224, 224] to [B, 1000]."""
    layers, inputs = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(inputs, width, stride if block == 0 else 1))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000)), (3, 224, 224)


def transformer():
    """[B, 128, 768] to [B, 128, 768]."""
    layer = nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu", batch_first=True, norm_first=True)
    return nn.TransformerEncoder(layer, 12, enable_nested_tensor=False), (128, 768)


class Lstm(nn.Module):
    """[B, 64, 256] to [B, 1000]."""

    def __init__(self):
        super().__init__()
        self.layers, self.last = nn.LSTM(256, 1024, 2, batch_first=True), nn.Linear(1024, 1000)

    def forward(self, x):
        return self.last(self.layers(x)[0][:, -1])


def mlp():
    """[B, 1024] to [B, 1000]."""
    widths = (1024, 4096, 4096, 4096)
    hidden = [part for a, b in zip(widths, widths[1:]) for part in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*hidden, nn.Linear(widths[-1], 1000)), (1024,)


MODELS = {"cnn": cnn, "transformer": transformer, "lstm": lambda: (Lstm(), (64, 256)), "mlp": mlp}
