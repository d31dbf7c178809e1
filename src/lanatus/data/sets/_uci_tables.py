"""The files of the UCI repository: their columns, kinds, words and formats."""

from dataclasses import dataclass

from lanatus.table import Attribute, Kind


@dataclass(frozen=True)
class UciTable:
    """A file as the UCI repository has it: columns in its order, ids and target among them, its format."""

    title: str
    folder: str
    file: str
    attributes: tuple[Attribute, ...]
    target: str
    n_rows: int
    ids: str | None = None
    separator: str | None = ","
    header: int = 0
    bundled: str | None = None
    classes: tuple[int, ...] = ()
    notes: str = ""

    @property
    def url(self) -> str:
        """Address of the file."""
        if self.folder.startswith("http"):
            return f"{self.folder}/{self.file}"
        return f"https://archive.ics.uci.edu/ml/machine-learning-databases/{self.folder}/{self.file}"


def _numbers(names: str) -> tuple[Attribute, ...]:
    return tuple(Attribute(name, name) for name in names.split())


def _words(name: str, values: str, kind: Kind = "nominal") -> Attribute:
    """An attribute from ``"code=word code=word"``; a code without word stands for itself."""
    pairs = (value.partition("=") for value in values.split())
    return Attribute(name, name, kind, tuple((code, word or code) for code, _, word in pairs))


_WDBC = "radius texture perimeter area smoothness compactness concavity concave_points symmetry fractal_dimension"
_VOTES = (
    "handicapped_infants water_project_cost_sharing adoption_of_the_budget_resolution physician_fee_freeze "
    "el_salvador_aid religious_groups_in_schools anti_satellite_test_ban aid_to_nicaraguan_contras "
    "mx_missile "
    "immigration synfuels_corporation_cutback education_spending superfund_right_to_sue crime "
    "duty_free_exports "
    "export_administration_act_south_africa"
)
_ZOO = "hair feathers eggs milk airborne aquatic predator toothed backbone breathes venomous fins"
_SQUARES = [f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")]
UCI = {
    "abalone": UciTable(
        "Abalone",
        "abalone",
        "abalone.data",
        (
            _words("sex", "M F I"),
            *_numbers("length diameter height whole_weight shucked_weight viscera_weight shell_weight"),
            Attribute("rings", "rings", whole=True),
        ),
        "rings",
        4177,
    ),
    "auto-mpg": UciTable(
        "Auto MPG",
        "auto-mpg",
        "auto-mpg.data",
        (
            *_numbers("mpg cylinders displacement horsepower weight acceleration model_year"),
            _words("origin", "1=usa 2=europe 3=japan"),
            Attribute("car_name", "car_name"),
        ),
        "mpg",
        398,
        ids="car_name",
        separator=None,
        notes="6 values of horsepower are missing.",
    ),
    "balance-scale": UciTable(
        "Balance scale",
        "balance-scale",
        "balance-scale.data",
        (
            _words("class", "L=left B=balanced R=right"),
            *_numbers("left_weight left_distance right_weight right_distance"),
        ),
        "class",
        625,
    ),
    "breast-cancer-wisconsin": UciTable(
        "Breast cancer Wisconsin (original)",
        "breast-cancer-wisconsin",
        "breast-cancer-wisconsin.data",
        (
            Attribute("id", "id"),
            *_numbers(
                "clump_thickness cell_size_uniformity cell_shape_uniformity marginal_adhesion "
                "epithelial_cell_size "
                "bare_nuclei bland_chromatin normal_nucleoli mitoses"
            ),
            _words("class", "2=benign 4=malignant"),
        ),
        "class",
        699,
        ids="id",
        notes="16 values of bare_nuclei are missing.",
    ),
    "car": UciTable(
        "Car evaluation",
        "car",
        "car.data",
        (
            _words("buying", "low med high vhigh", "ordinal"),
            _words("maint", "low med high vhigh", "ordinal"),
            _words("doors", "2 3 4 5more", "ordinal"),
            _words("persons", "2 4 more", "ordinal"),
            _words("lug_boot", "small med big", "ordinal"),
            _words("safety", "low med high", "ordinal"),
            _words("class", "unacc acc good vgood", "ordinal"),
        ),
        "class",
        1728,
    ),
    "diabetes": UciTable(
        "Diabetes progression (Efron et al. 2004; not of UCI)",
        "https://www4.stat.ncsu.edu/~boos/var.select",
        "diabetes.tab.txt",
        _numbers("age sex bmi bp s1 s2 s3 s4 s5 s6 progression"),
        "progression",
        442,
        separator="\t",
        header=1,
        bundled="load_diabetes",
        notes="In the units of the file, not scaled. sex is coded 1 and 2.",
    ),
    "ecoli": UciTable(
        "Ecoli protein localisation",
        "ecoli",
        "ecoli.data",
        (
            Attribute("sequence", "sequence"),
            *_numbers("mcg gvh lip chg aac alm1 alm2"),
            _words("site", "cp im pp imU om omL imL imS"),
        ),
        "site",
        336,
        ids="sequence",
        separator=None,
    ),
    "glass": UciTable(
        "Glass identification",
        "glass",
        "glass.data",
        (
            Attribute("id", "id"),
            *_numbers("RI Na Mg Al Si K Ca Ba Fe"),
            _words(
                "type",
                "1=building_float 2=building_non_float 3=vehicle_float 4=vehicle_non_float 5=containers "
                "6=tableware "
                "7=headlamps",
            ),
        ),
        "type",
        214,
        ids="id",
        notes="No glass in the file is of type 4.",
    ),
    "haberman": UciTable(
        "Haberman's survival",
        "haberman",
        "haberman.data",
        (*_numbers("age year nodes"), _words("survival", "1=five_years_or_more 2=less")),
        "survival",
        306,
    ),
    "heart-cleveland": UciTable(
        "Heart disease, Cleveland",
        "heart-disease",
        "processed.cleveland.data",
        (
            *_numbers("age"),
            _words("sex", "0.0=female 1.0=male"),
            _words("chest_pain", "1.0=typical_angina 2.0=atypical_angina 3.0=non_anginal 4.0=asymptomatic"),
            *_numbers("resting_pressure cholesterol"),
            _words("high_sugar", "0.0=no 1.0=yes"),
            _words("resting_ecg", "0.0=normal 1.0=st_t_abnormality 2.0=hypertrophy"),
            *_numbers("max_heart_rate"),
            _words("exercise_angina", "0.0=no 1.0=yes"),
            *_numbers("st_depression"),
            _words("slope", "1.0=up 2.0=flat 3.0=down"),
            *_numbers("vessels"),
            _words("thal", "3.0=normal 6.0=fixed_defect 7.0=reversible_defect"),
            Attribute("disease", "disease", whole=True),
        ),
        "disease",
        303,
        classes=(0, 1, 2, 3, 4),
        notes="6 values are missing: 4 of vessels and 2 of thal.",
    ),
    "house-votes-84": UciTable(
        "Congressional voting records 1984",
        "voting-records",
        "house-votes-84.data",
        (_words("party", "republican democrat"), *(_words(vote, "n=no y=yes") for vote in _VOTES.split())),
        "party",
        435,
        notes="A question mark, neither yes nor no, is read as missing.",
    ),
    "ionosphere": UciTable(
        "Ionosphere",
        "ionosphere",
        "ionosphere.data",
        (*_numbers(" ".join(f"v{i}" for i in range(1, 35))), _words("class", "g=good b=bad")),
        "class",
        351,
    ),
    "iris": UciTable(
        "Iris",
        "iris",
        "iris.data",
        (
            *_numbers("sepal_length sepal_width petal_length petal_width"),
            _words("species", "Iris-setosa=setosa Iris-versicolor=versicolor Iris-virginica=virginica"),
        ),
        "species",
        150,
        bundled="load_iris",
        notes="The UCI file differs from Fisher's paper in rows 35 and 38; scikit-learn's copy follows the paper.",
    ),
    "optdigits": UciTable(
        "Optical recognition of handwritten digits, test part",
        "optdigits",
        "optdigits.tes",
        (
            *_numbers(" ".join(f"pixel_{i}_{j}" for i in range(8) for j in range(8))),
            Attribute("digit", "digit", whole=True),
        ),
        "digit",
        1797,
        bundled="load_digits",
        classes=tuple(range(10)),
    ),
    "sonar": UciTable(
        "Connectionist bench, sonar",
        "undocumented/connectionist-bench/sonar",
        "sonar.all-data",
        (*_numbers(" ".join(f"v{i}" for i in range(1, 61))), _words("class", "R=rock M=mine")),
        "class",
        208,
    ),
    "tic-tac-toe": UciTable(
        "Tic-tac-toe endgame",
        "tic-tac-toe",
        "tic-tac-toe.data",
        (*(_words(square, "x o b=blank") for square in _SQUARES), _words("class", "positive negative")),
        "class",
        958,
        notes="positive: x has won.",
    ),
    "wdbc": UciTable(
        "Breast cancer Wisconsin (diagnostic)",
        "breast-cancer-wisconsin",
        "wdbc.data",
        (
            Attribute("id", "id"),
            _words("diagnosis", "M=malignant B=benign"),
            *_numbers(" ".join(f"{name}_{how}" for how in ("mean", "error", "worst") for name in _WDBC.split())),
        ),
        "diagnosis",
        569,
        ids="id",
        bundled="load_breast_cancer",
    ),
    "wine": UciTable(
        "Wine",
        "wine",
        "wine.data",
        (
            _words("cultivar", "1=class_0 2=class_1 3=class_2"),
            *_numbers(
                "alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids "
                "nonflavanoid_phenols "
                "proanthocyanins color_intensity hue od280_od315 proline"
            ),
        ),
        "cultivar",
        178,
        bundled="load_wine",
    ),
    "zoo": UciTable(
        "Zoo",
        "zoo",
        "zoo.data",
        (
            Attribute("animal", "animal"),
            *(_words(name, "0=no 1=yes") for name in _ZOO.split()),
            *_numbers("legs"),
            *(_words(name, "0=no 1=yes") for name in ("tail", "domestic", "catsize")),
            _words("type", "1=mammal 2=bird 3=reptile 4=fish 5=amphibian 6=insect 7=invertebrate"),
        ),
        "type",
        101,
        ids="animal",
    ),
}
OTHER_NAMES = {
    "breast-cancer": "wdbc",
    "digits": "optdigits",
    "heart": "heart-cleveland",
    "house-votes": "house-votes-84",
}
