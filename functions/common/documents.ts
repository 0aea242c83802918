import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { type Route, routesWith } from '#shared/http/route.ts'
import { notConfigured } from '#shared/platform/errors.ts'

/** Returns the folder of the bundle. The build puts the documents there. */
function folder(): string {
  const found = process.env.LAMBDA_TASK_ROOT
  if (found === undefined) throw notConfigured('the API document', ['LAMBDA_TASK_ROOT'])
  return found
}

const route = routesWith<object>()

const encodings = ['br', 'gzip'] as const

/** Returns the best encoding that the caller accepts. An encoding with `q=0` is not used. */
function encodingFor(accepted: string): (typeof encodings)[number] | undefined {
  const parts = accepted.split(',').filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
  const names = new Set(parts.map((part) => part.split(';')[0]?.trim()))
  return encodings.find((encoding) => names.has(encoding))
}

/** Responds with a file in an accepted encoding. The build compresses the files, because API Gateway does not. */
async function file(
  request: Request,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const encoding = encodingFor(request.headers.get('accept-encoding') ?? '')
  const path = join(folder(), encoding === undefined ? name : `${name}.${encoding}`)
  return new Response(await readFile(path), {
    headers: {
      ...headers,
      'cache-control': 'public, max-age=300',
      vary: 'accept-encoding',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    },
  })
}

/** GET /openapi.json and GET /docs. Every surface has them. */
export const documentRoutes: readonly Route<object>[] = [
  route({
    name: 'documents.openApi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    tag: 'documentation',
    guard: 'none',
    unlimited: 'document',
    response: z.record(z.string(), z.unknown()),
    errors: [],
    handle: ({ request }) => file(request, 'openapi.json', { 'content-type': 'application/json' }),
  }),
  route({
    name: 'documents.reference',
    method: 'GET',
    path: '/docs',
    summary: 'Get the API reference as a page',
    tag: 'documentation',
    guard: 'none',
    unlimited: 'document',
    response: z.string(),
    rawResponse: 'text/html',
    errors: [],
    handle: async ({ request }) =>
      file(request, 'docs.html', {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': await readFile(join(folder(), 'docs.policy'), 'utf8'),
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      }),
  }),
]
