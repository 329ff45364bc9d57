//! Data as points of a plane.

use crate::cloud::Cloud;
use crate::picture::Picture;
use didact_core::Result;

/// Two columns of the data as points, coloured and shaped by class.
///
/// ```
/// use didact_plot::{Cloud, scatter};
/// let rows = ndarray::array![[1.0, 2.0], [3.0, 1.0]];
/// let picture = scatter(&Cloud::new(rows.view()).labels(&[0, 1], &["cat", "dog"]))?;
/// assert!(picture.svg().contains("dog"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn scatter(cloud: &Cloud<'_>) -> Result<Picture> {
    cloud.check()?;
    let mut panel = cloud.panel();
    cloud.add_to(&mut panel);
    let [across, up] = cloud.columns;
    let title = format!(
        "{} against {}",
        cloud.feature_name(up),
        cloud.feature_name(across)
    );
    Ok(Picture::new(title, vec![panel]))
}
