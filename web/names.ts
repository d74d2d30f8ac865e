// Names of the elements without their prefix.
export const names = ["sampling", "stopping"] as const;
export type Name = (typeof names)[number];
