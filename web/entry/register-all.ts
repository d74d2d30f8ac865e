// Defines all elements at once: the classic script with the engines, and the module for bundlers.
import { register } from "./index.ts";

export { register };

register();
