// The classic script: defines all elements at once.
import { register } from "./index.ts";

register();
