import { html } from 'hono/html'

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

type Html = ReturnType<typeof html>

/** Returns true for a browser that opens a page, and false for a program, which expects JSON. */
export const wantsPage = (request: Request): boolean =>
  /\btext\/html\b/i.test(request.headers.get('accept') ?? '')

/** Responds with a text-only page. It loads and runs nothing and cannot be framed. */
export async function plainPage(status: 400 | 401, title: string, words: Html): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${words}
        </main>
      </body>
    </html>`
  return new Response(String(page), { status, headers })
}
