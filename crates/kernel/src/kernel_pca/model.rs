//! The components: projecting rows on them, and coming back.

use super::KernelPca;
use super::pre_image::Way;
use crate::anchors::Anchors;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Features, Figure, Invert, Model, OwnedRows, Result, Rows, Run,
    Shape, Transform, Value,
};
use didact_math::kernel::{Kernel, KernelCentring};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// The directions of most variance in the space of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelPcaModel {
    pub(super) anchors: Anchors,
    centring: KernelCentring,
    /// M·λ of each component.
    eigenvalues: Array1<f64>,
    /// The coefficients a of each component, ‖a‖² = 1/(M·λ), a column each.
    pub(super) coefficients: Array2<f64>,
    /// M times the variance along all directions.
    total: f64,
    way: Way,
}

impl KernelPcaModel {
    /// From the eigenvalues of the centred kernel and their vectors, one per row.
    pub(super) fn new(
        parameters: &KernelPca,
        anchors: Anchors,
        centring: KernelCentring,
        eigenvalues: Array1<f64>,
        vectors: Array2<f64>,
        total: f64,
        run: &Run,
    ) -> Result<Self> {
        let roots = eigenvalues.mapv(f64::sqrt).insert_axis(Axis(1));
        let columns = |rows: Array2<f64>| rows.t().as_standard_layout().into_owned();
        let coefficients = columns(&vectors / &roots);
        let way = Way::new(
            parameters,
            &anchors,
            columns(vectors * &roots),
            &eigenvalues,
            run,
        )?;
        Ok(KernelPcaModel {
            anchors,
            centring,
            eigenvalues,
            coefficients,
            total,
            way,
        })
    }

    /// Number of components.
    pub fn n_components(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The eigenvalues M·λ of the centred kernel of the training rows, largest first.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.eigenvalues
    }

    /// The coefficients a of each component (a column) at each training row.
    pub fn dual_coef(&self) -> &Array2<f64> {
        &self.coefficients
    }

    /// The variance λ of the training rows along each component.
    pub fn explained_variance(&self) -> Array1<f64> {
        &self.eigenvalues / self.anchors.len() as f64
    }

    /// The kernel with all its numbers.
    pub fn kernel(&self) -> &Kernel {
        &self.anchors.kernel
    }
}

impl Features for KernelPcaModel {
    fn n_features(&self) -> usize {
        self.anchors.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Transform for KernelPcaModel {
    fn n_outputs(&self) -> usize {
        self.n_components()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let centre = |values: &mut [f64]| {
            let row = ArrayView2::from_shape((1, values.len()), &*values).expect("one row");
            let centred = self
                .centring
                .centred(row)
                .expect("as many as training rows");
            values.copy_from_slice(centred.as_slice().expect("a fresh matrix is contiguous"));
        };
        let projections =
            self.anchors
                .combine(rows, self.coefficients.view(), centre, &Run::new())?;
        Ok(OwnedRows::Dense(projections))
    }

    fn output_names(&self, _input_names: &[String]) -> Vec<String> {
        (0..self.n_components())
            .map(|component| format!("kernelpca{component}"))
            .collect()
    }
}

impl Invert for KernelPcaModel {
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.way.back(self, rows.to_dense().view())
    }
}

impl Model for KernelPcaModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform().invert();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_components",
            meaning: "Number of components.",
            get: |model| Value::from(model.n_components()),
        },
        Attribute {
            name: "eigenvalues",
            meaning: "The eigenvalues of the centred kernel of the training rows, largest first.",
            get: |model| Value::from(&model.eigenvalues),
        },
        Attribute {
            name: "eigenvectors",
            meaning: "The vectors of length one that belong to them, a column each.",
            get: |model| Value::from(&model.coefficients * &model.eigenvalues.mapv(f64::sqrt)),
        },
        Attribute {
            name: "dual_coef",
            meaning: "How much each training row goes into each component (a column).",
            get: |model| Value::from(&model.coefficients),
        },
        Attribute {
            name: "explained_variance",
            meaning: "The variance along each component, eigenvalue by number of rows.",
            get: |model| Value::from(model.explained_variance()),
        },
        Attribute {
            name: "explained_variance_ratio",
            meaning: "The share of the whole variance in the space of the kernel.",
            get: |model| Value::from(&model.eigenvalues / model.total),
        },
        Attribute {
            name: "gamma",
            meaning: "The rate of the kernel, where it has one.",
            get: |model| match *model.kernel() {
                Kernel::Rbf { gamma }
                | Kernel::Laplacian { gamma }
                | Kernel::ChiSquare { gamma }
                | Kernel::Polynomial { gamma, .. }
                | Kernel::Sigmoid { gamma, .. } => Value::from(gamma),
                _ => Value::Absent,
            },
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "rows",
        meaning: "The training rows, whose kernel spans the components.",
        get: |model| {
            let points = model.anchors.rows().to_dense().into_owned();
            Some(Shape::Points { points })
        },
    }];

    fn validate(&self) -> Result<()> {
        let (n, count) = self.coefficients.dim();
        ensure_consistent(
            n > 0
                && count > 0
                && n == self.anchors.len()
                && count == self.eigenvalues.len()
                && self.anchors.is_sound()
                && self.centring.centred(Array2::zeros((1, n)).view()).is_ok()
                && self
                    .eigenvalues
                    .iter()
                    .all(|&value| value > 0.0 && value.is_finite())
                && self.coefficients.iter().all(|value| value.is_finite())
                && self.total.is_finite(),
        )?;
        self.way.validate(count, self.n_features())
    }
}
