// Names, without their prefix, of the elements that need no engines.
export const names = ["sampling", "stopping"] as const;
export type Name = (typeof names)[number];
