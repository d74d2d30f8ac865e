//! What candle and rand answer, a line for a line, for ../candle_draws.py. A question has fields between tabs: what is
//! asked, then its arguments; "-" is an argument that is not given, and a row is numbers or "@" and a file of floats.

use candle_core::{Device, Result, Tensor};
use candle_transformers::generation::{LogitsProcessor, Sampling};
use candle_transformers::utils::apply_repeat_penalty;
use rand::distr::{weighted::WeightedIndex, Distribution};
use rand::{rngs::StdRng, RngCore, SeedableRng};
use std::{fmt::Debug, fmt::Display, io::BufRead, panic, str::FromStr};

fn number<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().expect("a number")
}

fn numbers<T: FromStr<Err: Debug>>(field: &str) -> Vec<T> {
    field.split_whitespace().map(number).collect()
}

fn text<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|x| x.to_string()).collect::<Vec<_>>().join(" ")
}

fn row(field: &str) -> Result<Tensor> {
    let values: Vec<f32> = match field.strip_prefix('@') {
        Some(path) => std::fs::read(path)?.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
        None => numbers(field),
    };
    let n = values.len();
    Tensor::from_vec(values, n, &Device::Cpu)
}

fn processor(seed: &str, kind: &str, temperature: &str, k: &str, p: &str) -> LogitsProcessor {
    let seed = number(seed);
    if kind == "new" {
        return LogitsProcessor::new(seed, temperature.parse().ok(), p.parse().ok());
    }
    let degrees = || number(temperature);
    let sampling = match kind {
        "ArgMax" => Sampling::ArgMax,
        "All" => Sampling::All { temperature: degrees() },
        "TopK" => Sampling::TopK { k: number(k), temperature: degrees() },
        "TopP" => Sampling::TopP { p: number(p), temperature: degrees() },
        "TopKThenTopP" => Sampling::TopKThenTopP { k: number(k), p: number(p), temperature: degrees() },
        "GumbelSoftmax" => Sampling::GumbelSoftmax { temperature: degrees() },
        _ => panic!("no such sampling: {kind}"),
    };
    LogitsProcessor::from_sampling(seed, sampling)
}

/// As `sample` sees them after softmax, before any filter.
fn probabilities(logits: &Tensor, temperature: &str) -> Result<Vec<f32>> {
    let mut seen = Vec::new();
    processor("0", "All", temperature, "-", "-").sample_f(logits, |p| seen = p.to_vec())?;
    Ok(seen)
}

/// The call with which candle chooses the k candidates, which it keeps to itself.
fn order(p: &[f32], k: usize) -> Vec<usize> {
    let mut ids: Vec<usize> = (0..p.len()).collect();
    ids.select_nth_unstable_by(k, |&i, &j| p[j].total_cmp(&p[i]));
    ids.truncate(k);
    ids
}

fn answer(question: &[&str]) -> Result<String> {
    Ok(match *question {
        ["stream", logits, draws, seed, kind, temperature, k, p] => {
            let (logits, mut processor) = (row(logits)?, processor(seed, kind, temperature, k, p));
            text((0..number(draws)).map(|_: usize| processor.sample(&logits)).collect::<Result<Vec<_>>>()?)
        }
        ["probs", logits, temperature] => text(probabilities(&row(logits)?, temperature)?),
        ["order", logits, temperature, k] => text(order(&probabilities(&row(logits)?, temperature)?, number(k))),
        ["penalty", logits, penalty, context] => {
            let logits = row(logits)?;
            let scores = apply_repeat_penalty(&logits, number(penalty), &numbers::<u32>(context))?.to_vec1::<f32>()?;
            let changed = logits.to_vec1::<f32>()?.into_iter().zip(scores).enumerate();
            text(changed.filter(|(_, (x, y))| x.to_bits() != y.to_bits()).map(|(i, (_, y))| format!("{i} {y}")))
        }
        ["words", seed, n] => {
            let mut generator = StdRng::seed_from_u64(number(seed));
            text((0..number(n)).map(|_: usize| generator.next_u32()))
        }
        ["indices", seed, n, weights] => {
            let generator = StdRng::seed_from_u64(number(seed));
            let weighted = WeightedIndex::new(numbers::<f32>(weights)).expect("weights");
            text(weighted.sample_iter(generator).take(number(n)))
        }
        _ => panic!("no such question"),
    })
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    for line in std::io::stdin().lock().lines().map_while(std::io::Result::ok) {
        let question: Vec<&str> = line.split('\t').collect();
        let said = match panic::catch_unwind(|| answer(&question)) {
            Ok(Ok(said)) => format!("ok\t{said}"),
            Ok(Err(error)) => format!("error\t{}", error.to_string().lines().next().unwrap_or("")),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                format!("panic\t{}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or(""))
            }
        };
        println!("{said}");
    }
}
