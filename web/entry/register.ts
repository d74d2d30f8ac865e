// Defines the elements that need no engines at once: the small classic script.
import { register } from "./light.ts";

register();
