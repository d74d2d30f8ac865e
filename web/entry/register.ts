// Defines elements at once: a classic script. Which, the build says.
import { define } from "./define.ts";
import { elements } from "./these.elements.ts";

define(elements, "smp");
