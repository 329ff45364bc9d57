//! Columns of a table as Arrow columns.

use super::from_arrow::{per_second, seconds};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, RecordBatch,
    RecordBatchOptions, StringArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray,
};
use arrow_schema::{Field, Schema, TimeUnit};
use didact_core::{Column, Error, Result, Table};
use std::sync::Arc;

/// A table as an Arrow record batch: words become dictionaries, missing values nulls.
pub fn batch_from_table(table: &Table) -> Result<RecordBatch> {
    let mut fields = Vec::with_capacity(table.n_columns());
    let mut arrays = Vec::with_capacity(table.n_columns());
    for (name, column) in table.names().iter().zip(table.columns()) {
        let array = array(name, column)?;
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(table.n_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
        .map_err(|error| Error::data(error.to_string()))
}

fn array(name: &str, column: &Column) -> Result<ArrayRef> {
    Ok(match column {
        Column::Numbers(values) => Arc::new(
            values
                .iter()
                .map(|&value| (!value.is_nan()).then_some(value))
                .collect::<Float64Array>(),
        ),
        Column::Booleans(values) => Arc::new(values.iter().copied().collect::<BooleanArray>()),
        Column::Categories { codes, names } => {
            let keys: Int32Array = codes
                .iter()
                .map(|code| code.map(|code| code as i32))
                .collect();
            let values = StringArray::from_iter_values(names);
            Arc::new(
                DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values))
                    .map_err(|error| Error::data(format!("column {name}: {error}")))?,
            )
        }
        Column::Times(values) => times(name, values)?,
    })
}

/// Times in the coarsest unit that keeps every value, else in the finest that holds them all.
fn times(name: &str, values: &[Option<f64>]) -> Result<ArrayRef> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond};
    let keeps = |unit: TimeUnit| {
        values.iter().flatten().all(|&value| {
            ticks(value, per_second(unit))
                .is_some_and(|ticks| seconds(ticks, per_second(unit)) == value)
        })
    };
    let holds = |unit: TimeUnit| {
        values
            .iter()
            .flatten()
            .all(|&value| ticks(value, per_second(unit)).is_some())
    };
    let unit = [Millisecond, Microsecond, Nanosecond]
        .into_iter()
        .find(|&unit| keeps(unit))
        .or_else(|| [Nanosecond, Microsecond, Millisecond].into_iter().find(|&unit| holds(unit)))
        .ok_or_else(|| {
            Error::data(format!(
                "column {name} has times that are not finite or hundreds of millions of years away; remove them"
            ))
        })?;
    let converted = values
        .iter()
        .map(|value| value.and_then(|value| ticks(value, per_second(unit))));
    Ok(match unit {
        Microsecond => Arc::new(converted.collect::<TimestampMicrosecondArray>()),
        Nanosecond => Arc::new(converted.collect::<TimestampNanosecondArray>()),
        _ => Arc::new(converted.collect::<TimestampMillisecondArray>()),
    })
}

fn ticks(value: f64, per_second: i64) -> Option<i64> {
    let whole = value.floor();
    let size = whole.abs() * per_second as f64;
    // 9.2e18 is just inside the range of 64-bit whole numbers.
    if size.is_nan() || size >= 9.2e18 {
        return None;
    }
    let part = ((value - whole) * per_second as f64).round();
    Some(whole as i64 * per_second + part as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table_from_batch;
    use arrow_schema::DataType;

    #[test]
    fn times_take_the_unit_that_keeps_them() {
        let unit = |value: f64| {
            let array = times("t", &[Some(value), None]).unwrap();
            match array.data_type() {
                DataType::Timestamp(unit, None) => *unit,
                other => panic!("{other} is no timestamp"),
            }
        };
        assert_eq!(unit(1.5), TimeUnit::Millisecond);
        assert_eq!(unit(1e-6), TimeUnit::Microsecond);
        assert_eq!(unit(1e-9), TimeUnit::Nanosecond);
        assert!(times("t", &[Some(f64::INFINITY)]).is_err());
        assert!(times("t", &[Some(f64::NAN)]).is_err());
    }

    #[test]
    fn a_table_without_words_in_a_category_column_survives() {
        let mut table = Table::new();
        table.push("w", Column::from_words([None, None])).unwrap();
        let back = table_from_batch(&batch_from_table(&table).unwrap()).unwrap();
        assert_eq!(back, table);
    }
}
