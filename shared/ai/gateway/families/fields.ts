import * as z from 'zod'

/** The model in a family without a default model. */
export function modelName() {
  return z
    .string()
    .min(1)
    .max(200)
    .refine((name) => name !== 'auto', 'model must be the id of a model')
}
