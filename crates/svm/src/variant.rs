//! The machines side by side: what each is made of, step by step.

use serde::Serialize;

/// A kernel machine by what it asks of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MachineVariant {
    /// Every row is beyond the margin.
    HardMargin,
    /// Rows may be within the margin at a price.
    SoftMargin,
    /// Targets may be outside the tube at a price.
    Regression,
}

/// What a machine is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineCard {
    /// What the primal problem looks for.
    pub primal_variables: &'static [&'static str],
    /// The kinds of constraints, each of which holds for every row.
    pub constraints: &'static [&'static str],
    /// The multipliers, a kind for each kind of constraint.
    pub multipliers: &'static [&'static str],
    /// The ten steps from the formulation to the kernel, the same for every machine.
    pub steps: [(&'static str, &'static str); 10],
}

impl MachineVariant {
    /// All machines, from the simplest on.
    pub const ALL: [MachineVariant; 3] = [
        MachineVariant::HardMargin,
        MachineVariant::SoftMargin,
        MachineVariant::Regression,
    ];

    /// What the machine is made of.
    ///
    /// ```
    /// use didact_svm::MachineVariant;
    /// let soft = MachineVariant::SoftMargin.card();
    /// assert_eq!(soft.primal_variables, ["w", "b", "ξ"]);
    /// assert_eq!(soft.constraints.len(), soft.multipliers.len());
    /// ```
    pub fn card(self) -> MachineCard {
        match self {
            MachineVariant::HardMargin => hard_margin(),
            MachineVariant::SoftMargin => soft_margin(),
            MachineVariant::Regression => regression(),
        }
    }
}

fn hard_margin() -> MachineCard {
    MachineCard {
        primal_variables: &["w", "b"],
        constraints: &["y(w·x + b) ≥ 1"],
        multipliers: &["α"],
        steps: [
            ("formulation", "min ½‖w‖² where y(w·x + b) ≥ 1"),
            ("Lagrangian", "½‖w‖² + Σ α(1 − y(w·x + b))"),
            ("derivative in w", "w = Σ αyx"),
            ("derivative in b", "Σ αy = 0"),
            ("dual objective", "max Σ α − ½αᵀHα"),
            ("dual constraints", "α ≥ 0 and Σ αy = 0"),
            ("H", "Hᵢⱼ = yᵢyⱼ·xᵢ·xⱼ"),
            ("b", "y − w·x, the mean over all rows with α > 0"),
            ("prediction", "sign(Σ αy·xᵢ·x + b)"),
            ("kernel", "k(xᵢ, x) in the place of xᵢ·x"),
        ],
    }
}

fn soft_margin() -> MachineCard {
    MachineCard {
        primal_variables: &["w", "b", "ξ"],
        constraints: &["y(w·x + b) ≥ 1 − ξ", "ξ ≥ 0"],
        multipliers: &["α", "β"],
        steps: [
            (
                "formulation",
                "min ½‖w‖² + C·Σ ξ where y(w·x + b) ≥ 1 − ξ and ξ ≥ 0",
            ),
            (
                "Lagrangian",
                "½‖w‖² + C·Σ ξ + Σ α(1 − ξ − y(w·x + b)) − Σ βξ",
            ),
            ("derivative in w", "w = Σ αyx"),
            ("derivative in b", "Σ αy = 0, and in ξ: α + β = C"),
            ("dual objective", "max Σ α − ½αᵀHα"),
            ("dual constraints", "0 ≤ α ≤ C and Σ αy = 0"),
            ("H", "Hᵢⱼ = yᵢyⱼ·xᵢ·xⱼ"),
            ("b", "y − w·x, the mean over the rows with 0 < α < C alone"),
            ("prediction", "sign(Σ αy·xᵢ·x + b)"),
            ("kernel", "k(xᵢ, x) in the place of xᵢ·x"),
        ],
    }
}

fn regression() -> MachineCard {
    MachineCard {
        primal_variables: &["w", "b", "ξ⁺", "ξ⁻"],
        constraints: &[
            "y − w·x − b ≤ ε + ξ⁺",
            "w·x + b − y ≤ ε + ξ⁻",
            "ξ⁺ ≥ 0",
            "ξ⁻ ≥ 0",
        ],
        multipliers: &["α⁺", "α⁻", "β⁺", "β⁻"],
        steps: [
            (
                "formulation",
                "min ½‖w‖² + C·Σ(ξ⁺ + ξ⁻) where −ε − ξ⁻ ≤ y − w·x − b ≤ ε + ξ⁺",
            ),
            (
                "Lagrangian",
                "½‖w‖² + C·Σ(ξ⁺ + ξ⁻) + Σ α⁺(y − w·x − b − ε − ξ⁺) + Σ α⁻(w·x + b − y − ε − ξ⁻) − Σ(β⁺ξ⁺ + β⁻ξ⁻)",
            ),
            ("derivative in w", "w = Σ(α⁺ − α⁻)x"),
            (
                "derivative in b",
                "Σ(α⁺ − α⁻) = 0, and in ξ: α + β = C on either side",
            ),
            (
                "dual objective",
                "max Σ y(α⁺ − α⁻) − ε·Σ(α⁺ + α⁻) − ½(α⁺ − α⁻)ᵀH(α⁺ − α⁻)",
            ),
            ("dual constraints", "0 ≤ α⁺, α⁻ ≤ C and Σ(α⁺ − α⁻) = 0"),
            ("H", "Hᵢⱼ = xᵢ·xⱼ"),
            (
                "b",
                "y − w·x − ε where 0 < α⁺ < C, y − w·x + ε where 0 < α⁻ < C, and their mean",
            ),
            ("prediction", "Σ(α⁺ − α⁻)·xᵢ·x + b"),
            ("kernel", "k(xᵢ, x) in the place of xᵢ·x"),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 004:M80: the counts of variables, constraints and multipliers, and ten aligned steps.
    #[test]
    fn the_card_of_each_machine_has_its_counts_and_ten_aligned_steps() {
        let counts: Vec<(usize, usize, usize)> = MachineVariant::ALL
            .iter()
            .map(|variant| variant.card())
            .map(|card| {
                let lists = [card.primal_variables, card.constraints, card.multipliers];
                let [variables, constraints, multipliers] = lists.map(<[_]>::len);
                (variables, constraints, multipliers)
            })
            .collect();
        assert_eq!(counts, [(2, 1, 1), (3, 2, 2), (4, 4, 4)]);
        let names = |variant: MachineVariant| variant.card().steps.map(|(name, _)| name);
        assert_eq!(
            names(MachineVariant::HardMargin),
            names(MachineVariant::Regression)
        );
        assert_eq!(
            names(MachineVariant::HardMargin),
            names(MachineVariant::SoftMargin)
        );
    }
}
