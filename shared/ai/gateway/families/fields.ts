import * as z from 'zod'

/** The model in a family without a default model. */
export function modelName() {
  return z
    .string()
    .min(1)
    .max(200)
    .refine((name) => name !== 'auto', 'model must be the id of a model')
}

/**
 * Returns whether a text is base64, with white space between its characters. Each check is linear: one regular
 * expression for the whole text backtracks over white space, and overflows the stack of V8 for a photo.
 */
export function isBase64(text: string): boolean {
  const padding = text.indexOf('=')
  const data = padding < 0 ? text : text.slice(0, padding)
  return (
    /^[A-Za-z0-9+/]\s*[A-Za-z0-9+/]/.test(data) &&
    !/[^A-Za-z0-9+/\s]/.test(data) &&
    (padding < 0 || /^={1,2}\s*$/.test(text.slice(padding)))
  )
}
