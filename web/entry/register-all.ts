// Defines all elements at once: the module for bundlers.
import { register } from "./index.ts";

export { register };

register();
