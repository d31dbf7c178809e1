from .feedforward._inputs import Inputs as Inputs
from .feedforward._mlp_classifier import MLPClassifier as MLPClassifier
from .feedforward._mlp_regressor import MLPRegressor as MLPRegressor
