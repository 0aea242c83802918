import { parse } from 'qs'
import * as z from 'zod'
import { Fault } from '../fault.ts'

/**
 * Parses the form encoding of Stripe's clients: `a[b][0]=c`.
 * @throws Fault with Stripe's message if a parameter is missing, unknown or invalid
 */
export function readForm<S extends z.ZodType>(schema: S, text: string): z.output<S> {
  const parsed = schema.safeParse(parse(text, { depth: 6, arrayLimit: 100, plainObjects: true }), {
    reportInput: true,
  })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw issue === undefined ? new Fault('Invalid request.') : faultOf(issue)
}

function faultOf(issue: z.core.$ZodIssue): Fault {
  if (issue.code === 'unrecognized_keys') {
    const param = nameOf([...issue.path, issue.keys[0] ?? ''])
    return new Fault(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
  }
  const param = nameOf(issue.path)
  if (issue.input === undefined)
    return new Fault(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  return new Fault(`Invalid ${param}: ${issue.message}`, { param })
}

function nameOf([first, ...rest]: readonly PropertyKey[]): string {
  return String(first ?? '') + rest.map((part) => `[${String(part)}]`).join('')
}

/** An integer as text. */
export const whole = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)

export const metadata = z.record(z.string().max(40), z.string().max(500)).default({})

/** A URL that a browser is sent to. `javascript:` must not get into a link. */
export const httpUrl = z.url({ protocol: /^https?$/ }).max(5000)
