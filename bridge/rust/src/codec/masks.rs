use crate::codec::rows::Rows;
use crate::codec::spec::{DType, Leaf, Spec};
use crate::error::{Code, Error, Result};

/// The values that a head of an action may take in a row: `low ..= high`, and where there is a
/// mask, those whose entry is not 0.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// Entry `i` is value `low + i`; empty where every value is allowed.
    pub mask: &'a [u8],
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
}

impl Choice<'_> {
    /// True where the value is allowed.
    pub fn contains(&self, value: i64) -> bool {
        let inside = value >= self.low && value <= self.high;
        inside && (self.mask.is_empty() || self.mask[(value - self.low) as usize] != 0)
    }

    /// The allowed values, from the least.
    pub fn values(&self) -> impl Iterator<Item = i64> {
        (self.low..=self.high).filter(|&value| self.contains(value))
    }
}

/// Tells which values are allowed for the integer heads of an action: by the leaves `mask.HEAD`,
/// `HEAD.min` and `HEAD.max` of the observation, and by the path of `given`.
#[derive(Clone, Copy, Debug)]
pub struct Masks<'a> {
    spec: &'a Spec,
    observation: &'a Rows,
}

impl<'a> Masks<'a> {
    /// Of the rows of an observation.
    pub fn of(spec: &'a Spec, observation: &'a Rows) -> Self {
        Masks { spec, observation }
    }

    /// What a head may be in a row. `actions` has the earlier heads of that row, which count where
    /// the head's `given` names one.
    pub fn choice(&self, head: &str, row: usize, actions: &Rows) -> Result<Choice<'a>> {
        let leaf = self.head(head)?;
        let element = self.element(leaf, row, actions)?;
        let at = |values: &[i32]| {
            let outside = || Error::malformed(format!("{head}: an earlier head is not legal"));
            values.get(element).copied().map(i64::from).ok_or_else(outside)
        };
        let min = format!("{head}.min");
        if self.spec.observation.leaf(&min).is_some() {
            let low = at(self.observation.row(&min, row)?)?;
            let high = at(self.observation.row(&format!("{head}.max"), row)?)?;
            return Ok(Choice { mask: &[], low, high });
        }
        let (mut low, mut high) = (i64::from(leaf.low as i32), i64::from(leaf.high as i32));
        let indexed = !leaf.index_of.is_empty();
        if indexed {
            (low, high) = (0, self.observation.elements(&leaf.index_of, row)? as i64 - 1);
        }
        let name = format!("mask.{head}");
        if self.spec.observation.leaf(&name).is_none() {
            return Ok(Choice { mask: &[], low, high });
        }
        let (mask, values) = (self.observation.row::<u8>(&name, row)?, (high - low + 1) as usize);
        let begin = if indexed { 0 } else { element * values };
        let mask = mask.get(begin..begin + values).ok_or_else(|| {
            Error::malformed(format!("{name}: has no {values} values for what is chosen"))
        })?;
        Ok(Choice { mask, low, high })
    }

    /// Fails with `IllegalAction` where a row of actions, one for each row of the observation, is
    /// outside of its space or its masks.
    pub fn check(&self, actions: &Rows) -> Result<()> {
        let illegal = |text: String| Error::new(Code::IllegalAction, text);
        actions.check_bounds().map_err(|error| illegal(error.text))?;
        let heads = self.spec.action.leaves.iter().filter(|leaf| leaf.dtype == DType::I32);
        for (head, row) in heads.flat_map(|head| (0..actions.count()).map(move |row| (head, row))) {
            let choice = self.choice(&head.name, row, actions).map_err(|e| illegal(e.text))?;
            for &value in actions.row::<i32>(&head.name, row)? {
                if !choice.contains(value.into()) {
                    let name = &head.name;
                    return Err(illegal(format!("{name}: {value} in row {row} is not allowed")));
                }
            }
        }
        Ok(())
    }

    fn head(&self, name: &str) -> Result<&'a Leaf> {
        let action = &self.spec.action;
        let at = action.leaf(name).ok_or_else(|| {
            Error::new(Code::UnknownName, format!("head: the action has no \"{name}\""))
        })?;
        let leaf = &action.leaves[at];
        if leaf.dtype != DType::I32 {
            let text =
                format!("{name}: is {:?}; only i32 heads have a list of choices", leaf.dtype);
            return Err(Error::malformed(text));
        }
        Ok(leaf)
    }

    /// Whose mask or range counts: the end of the path of `given`.
    fn element(&self, head: &Leaf, row: usize, actions: &Rows) -> Result<usize> {
        let Some((first, path)) = head.given.split_first() else { return Ok(0) };
        let unknown = || Error::malformed(format!("{}: an earlier head is not legal", head.name));
        let mut at = *actions.row::<i32>(first, row)?.first().ok_or_else(unknown)?;
        for leaf in path {
            let values = self.observation.row::<i32>(leaf, row)?;
            let index = usize::try_from(at).map_err(|_| unknown())?;
            at = *values.get(index).ok_or_else(unknown)?;
        }
        usize::try_from(at).map_err(|_| unknown())
    }
}
