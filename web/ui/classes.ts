// The class attribute of an element that has some of its classes only now and then.

export const classes = (...names: readonly (string | false)[]): string => names.filter(Boolean).join(" ");
