// Defines all elements at once: the classic script, and the module for bundlers.
import { register } from "./index.ts";

export { register };

register();
