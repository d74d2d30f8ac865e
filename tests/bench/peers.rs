//! Times candle's LogitsProcessor on a painted row: peers ROW.f32 REPEATS -> one line of JSON a pipeline.
use candle_core::{Device, Result, Tensor};
use candle_transformers::generation::{LogitsProcessor, Sampling};
use std::time::Instant;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&arguments[1])?;
    let row: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let repeats: usize = arguments[2].parse().expect("a number of repeats");
    let logits = Tensor::from_vec(row.clone(), row.len(), &Device::Cpu)?;
    for (kernel, sampling) in [
        ("top-k 50 + softmax + draw", Sampling::TopK { k: 50, temperature: 1.0 }),
        ("temperature + softmax + draw", Sampling::All { temperature: 0.8 }),
        ("temperature + top-p 0.9 + draw", Sampling::TopP { p: 0.9, temperature: 0.8 }),
    ] {
        let mut processor = LogitsProcessor::from_sampling(42, sampling);
        let mut ms = Vec::new();
        for _ in 0..repeats + 3 {
            let start = Instant::now();
            processor.sample(&logits)?;
            ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        ms.drain(..3);
        ms.sort_by(f64::total_cmp);
        println!("{{\"kernel\":\"{kernel}\",\"ms\":{:.6}}}", ms[repeats / 2]);
    }
    Ok(())
}
