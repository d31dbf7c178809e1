"""Penalties: what weights cost, with the proximal step and the optimality condition of each."""

from lanatus.optimize.penalties._elastic_net import L1L2
from lanatus.optimize.penalties._fused import Fused
from lanatus.optimize.penalties._group import L21, GroupL2
from lanatus.optimize.penalties._l1 import L1, soft_threshold
from lanatus.optimize.penalties._l2 import L2
from lanatus.optimize.penalties._penalty import NoPenalty, Penalty
from lanatus.optimize.penalties._power import L0, Lp

__all__ = ["L0", "L1", "L1L2", "L2", "L21", "Fused", "GroupL2", "Lp", "NoPenalty", "Penalty", "soft_threshold"]
