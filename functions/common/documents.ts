import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { notConfigured } from '../../shared/platform/errors.ts'
import { type Route, routesWith } from '../../shared/http/route.ts'

/** The build puts both documents beside the function's bundle, which is where Lambda says the code is. */
async function documentFile(name: string): Promise<string> {
  const folder = process.env.LAMBDA_TASK_ROOT
  if (folder === undefined) throw notConfigured('the API document', ['LAMBDA_TASK_ROOT'])
  return readFile(join(folder, name), 'utf8')
}

function file(name: string, path: string, summary: string, type: string): Route<object> {
  return routesWith<object>()({
    name: path === '/docs' ? 'documents.reference' : 'documents.openApi',
    method: 'GET',
    path,
    summary,
    tag: 'documentation',
    guard: 'none',
    response: z.string(),
    errors: [],
    handle: async () =>
      new Response(await documentFile(name), {
        headers: { 'content-type': type, 'cache-control': 'public, max-age=300' },
      }),
  })
}

/** GET /openapi.json and GET /docs, the same on every surface. */
export const documentRoutes: readonly Route<object>[] = [
  file('openapi.json', '/openapi.json', 'This document', 'application/json'),
  file('docs.html', '/docs', 'This reference as a page', 'text/html; charset=utf-8'),
]
