from ._named_tree import NamedTree as NamedTree
from ._named_tree import named as named
from ._named_tree import read as read
from ._named_tree import value_words as value_words
