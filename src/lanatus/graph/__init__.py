"""Graphs: of neighbours, their parts, paths and Laplacians; spanning trees and their directions."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
