//! Arrow columns as columns of a table.

use crate::pieces::{Piece, join};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Date64Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Schema, TimeUnit};
use didact_core::{Column, ColumnKind, Error, Result, Table};

/// The columns of an Arrow record batch as a table.
///
/// Whole numbers and decimals become double precision, so beyond 2⁵³ they are rounded. Times
/// without a zone are taken as UTC.
///
/// ```
/// use didact_core::{Column, Table};
/// use didact_data::{batch_from_table, table_from_batch};
/// let mut table = Table::new();
/// table.push("size", Column::Numbers(vec![1.0, 2.5]))?;
/// assert_eq!(table_from_batch(&batch_from_table(&table)?)?, table);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn table_from_batch(batch: &RecordBatch) -> Result<Table> {
    let mut table = Table::new();
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        table.push(field.name().as_str(), column(field.name(), array)?)?;
    }
    Ok(table)
}

/// An error that names the first column whose type no table can hold.
pub(crate) fn check_types(schema: &Schema) -> Result<()> {
    for field in schema.fields() {
        if !is_supported(field.data_type()) {
            return Err(unsupported(field.name(), field.data_type()));
        }
    }
    Ok(())
}

fn is_supported(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => is_supported(value),
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(_, _) => true,
        other => other.is_numeric(),
    }
}

fn unsupported(name: &str, data_type: &DataType) -> Error {
    Error::data(format!(
        "column {name} has the type {data_type}, which a table cannot hold; leave it out or turn it into numbers, words or times"
    ))
}

fn column(name: &str, array: &ArrayRef) -> Result<Column> {
    Ok(match array.data_type() {
        DataType::Null => Column::Numbers(vec![f64::NAN; array.len()]),
        DataType::Boolean => Column::Booleans(array.as_boolean().iter().collect()),
        DataType::Utf8 => words(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => words(array.as_string::<i64>().iter()),
        DataType::Utf8View => words(array.as_string_view().iter()),
        DataType::Dictionary(_, value) => match value.is_string() {
            true => dictionary(name, array)?,
            false => column(name, &as_type(name, array, value)?)?,
        },
        DataType::Date32 => Column::Times(
            array
                .as_primitive::<Date32Type>()
                .iter()
                .map(|days| days.map(|days| f64::from(days) * 86_400.0))
                .collect(),
        ),
        DataType::Date64 => times(
            array.as_primitive::<Date64Type>().iter(),
            TimeUnit::Millisecond,
        ),
        DataType::Timestamp(unit, _) => times(
            as_type(name, array, &DataType::Int64)?
                .as_primitive::<Int64Type>()
                .iter(),
            *unit,
        ),
        other if other.is_numeric() => Column::Numbers(
            as_type(name, array, &DataType::Float64)?
                .as_primitive::<Float64Type>()
                .iter()
                .map(|value| value.unwrap_or(f64::NAN))
                .collect(),
        ),
        other => return Err(unsupported(name, other)),
    })
}

fn as_type(name: &str, array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    cast(array, data_type).map_err(|error| Error::data(format!("column {name}: {error}")))
}

fn words<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Column {
    let mut piece = Piece::new(ColumnKind::Category);
    for text in texts {
        match text {
            Some(text) => {
                piece.push_text(text);
            }
            None => piece.push_missing(),
        }
    }
    join(vec![piece.finish()])
}

/// The keys serve as codes; a key may also point at a missing value.
fn dictionary(name: &str, array: &ArrayRef) -> Result<Column> {
    let dictionary = array.as_any_dictionary();
    let values = as_type(name, dictionary.values(), &DataType::LargeUtf8)?;
    let values = values.as_string::<i64>();
    if values.is_empty() {
        return Ok(Column::Categories {
            codes: vec![None; array.len()],
            names: Vec::new(),
        });
    }
    let codes = dictionary
        .normalized_keys()
        .into_iter()
        .enumerate()
        .map(|(row, key)| {
            (!dictionary.keys().is_null(row) && !values.is_null(key)).then_some(key as u32)
        })
        .collect();
    let names = values
        .iter()
        .map(|value| value.unwrap_or_default().to_owned())
        .collect();
    Ok(join(vec![Column::Categories { codes, names }]))
}

fn times(values: impl Iterator<Item = Option<i64>>, unit: TimeUnit) -> Column {
    let per_second = per_second(unit);
    Column::Times(
        values
            .map(|value| value.map(|value| seconds(value, per_second)))
            .collect(),
    )
}

/// Ticks of a unit in a second.
pub(crate) fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Whole and broken seconds are converted apart: nanoseconds since 1970 exceed 2⁵³.
pub(crate) fn seconds(ticks: i64, per_second: i64) -> f64 {
    let whole = ticks.div_euclid(per_second) as f64;
    whole + ticks.rem_euclid(per_second) as f64 / per_second as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int8Type;
    use arrow_array::*;
    use std::sync::Arc;

    fn read(array: impl Array + 'static) -> Column {
        let array: ArrayRef = Arc::new(array);
        column("x", &array).unwrap()
    }

    #[test]
    fn every_plain_type_has_a_kind() {
        let numbers = |values: &[f64]| Column::Numbers(values.to_vec());
        assert_eq!(read(Int8Array::from(vec![-1, 2])), numbers(&[-1.0, 2.0]));
        assert_eq!(read(UInt64Array::from(vec![7])), numbers(&[7.0]));
        assert_eq!(read(Float32Array::from(vec![0.5])), numbers(&[0.5]));
        let decimal = Decimal128Array::from(vec![1234, -5])
            .with_precision_and_scale(10, 2)
            .unwrap();
        assert_eq!(read(decimal), numbers(&[12.34, -0.05]));
        assert_eq!(read(Int32Array::from(vec![Some(1), None])).n_missing(), 1);
        assert_eq!(read(NullArray::new(2)).n_missing(), 2);
        assert_eq!(
            read(BooleanArray::from(vec![Some(true), None])),
            Column::Booleans(vec![Some(true), None])
        );
        let expected = Column::from_words([Some("b"), None, Some("a")]);
        let texts = vec![Some("b"), None, Some("a")];
        assert_eq!(read(StringArray::from(texts.clone())), expected);
        assert_eq!(read(LargeStringArray::from(texts.clone())), expected);
        assert_eq!(read(StringViewArray::from(texts.clone())), expected);
        let dictionary: DictionaryArray<Int8Type> = texts.into_iter().collect();
        assert_eq!(read(dictionary), expected);
    }

    #[test]
    fn dates_and_timestamps_are_seconds() {
        let day = Column::Times(vec![Some(86_400.0)]);
        assert_eq!(read(Date32Array::from(vec![1])), day);
        assert_eq!(read(Date64Array::from(vec![86_400_000])), day);
        assert_eq!(read(TimestampSecondArray::from(vec![86_400])), day);
        let zoned =
            TimestampNanosecondArray::from(vec![1_700_000_000_500_000_000]).with_timezone("+02:00");
        assert_eq!(read(zoned), Column::Times(vec![Some(1_700_000_000.5)]));
    }

    #[test]
    fn nested_types_are_refused_by_column_and_type() {
        let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(vec![
            Some(vec![Some(1)]),
        ]));
        let message = column("tags", &list).unwrap_err().to_string();
        assert!(
            message.starts_with("column tags has the type List"),
            "{message}"
        );
    }
}
