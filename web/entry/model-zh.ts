// A script that a page adds by hand, as with the real logits: the model zh. docs/models.md says what it is.
import bytes from "../models/zh.safetensors";
import { publishModel } from "../core/published.ts";

publishModel({ name: "zh", bytes });
