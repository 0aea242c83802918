import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import type * as z from 'zod'
import { PlatformError } from '../platform/errors.ts'
import { validationError } from '../platform/validation.ts'
import { toPlatformError } from './errors.ts'
import type { Route } from './route.ts'

type Target = 'param' | 'query' | 'json'

/** Called for a request whose body is an object with invalid fields. */
type BeforeFields = (context: Context) => void

function validator(
  target: Target,
  schema: z.ZodType,
  beforeFields?: BeforeFields,
  formCode?: Route<never>['formCode'],
): MiddlewareHandler {
  return zValidator(target, schema, (result, context) => {
    if (result.success) return
    const body: unknown = result.data
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) beforeFields?.(context)
    const [field] = result.error.issues[0]?.path ?? []
    const code = formCode?.(typeof field === 'string' ? field : undefined)
    throw coded(validationError(result.error), code)
  })
}

/** Uses the declared length if present, because reading the body property may create a stream. */
function hasBody(context: Context): boolean {
  const length = context.req.header('content-length')
  return length === undefined ? context.req.raw.body !== null : length !== '0'
}

/** Requires that a body is declared as JSON, because another body would be read as empty. */
function requireJson(optional: boolean): MiddlewareHandler {
  return async (context, next) => {
    if (hasBody(context)) {
      const type = context.req.header('content-type') ?? ''
      if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
        throw new PlatformError('bad-request', 'Content-Type must be application/json')
    } else if (!optional && context.req.header('content-type') === undefined) {
      throw new PlatformError(
        'bad-request',
        'A JSON body with Content-Type application/json is required',
      )
    }
    await next()
  }
}

/** Returns the validating middleware of a route's schemas. */
export function validators(route: Route<never>, beforeFields: BeforeFields): MiddlewareHandler[] {
  const { params, query, body } = route
  return [
    ...(params === undefined ? [] : [validator('param', params)]),
    ...(query === undefined ? [] : [validator('query', query)]),
    ...(body === undefined ? [] : bodyValidators(route, body, beforeFields)),
  ]
}

function bodyValidators(
  { bodyOptional, formCode }: Route<never>,
  schema: z.ZodType,
  beforeFields: BeforeFields,
): MiddlewareHandler[] {
  const optional = bodyOptional === true
  const validate = validator('json', schema, beforeFields, formCode)
  const steps: MiddlewareHandler[] = [
    requireJson(optional),
    (context, next) => {
      if (hasBody(context) || !optional) return validate(context, next)
      context.req.addValidatedData('json', schema.parse({}) as object)
      return next()
    },
  ]
  if (formCode === undefined) return steps
  return steps.map((step) => async (context, next) => {
    try {
      return await step(context, next)
    } catch (thrown) {
      throw coded(toPlatformError(thrown), formCode(undefined))
    }
  })
}

/** Adds a code to a validation error that has none. */
function coded(error: PlatformError, code: string | undefined): PlatformError {
  if (code === undefined || error.kind !== 'bad-request' || error.code !== undefined) return error
  return new PlatformError(error.kind, error.message, { code, cause: error })
}

/** Returns the values that the validators accepted. */
export function validated(context: Context, route: Route<never>) {
  const read = (target: Target, schema: unknown) =>
    schema === undefined ? undefined : context.req.valid(target as never)
  return {
    params: read('param', route.params),
    query: read('query', route.query),
    body: read('json', route.body),
  }
}
