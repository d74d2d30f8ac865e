// Names, without their prefix, of the elements of the small script.
import registry from "../elements/registry.json";

export const names: readonly string[] = Object.entries(registry).flatMap(([name, { first }]) => (first ? [name] : []));
