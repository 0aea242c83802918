import type { Context } from 'hono'
import { html } from 'hono/html'

type Html = ReturnType<typeof html>

export const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 2rem auto; padding: 0 1rem; }
.notice { border: 1px solid; padding: 0.5rem 1rem; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: 0.25rem 0; border-bottom: 1px solid; }
td + td, th + th { text-align: right; }
form { display: inline-block; margin: 0.5rem 0.5rem 0.5rem 0; }
button, input { font: inherit; padding: 0.5rem 1rem; }
`

interface Page {
  title: string
  body: Html
  status?: 200 | 403 | 404 | 409
  /** The redirect targets of a form on this page: browsers apply form-action to redirects too. */
  leadsTo?: (string | null)[]
}

/** Renders a page without scripts. Its first line says that it is a stand-in. */
export function page(c: Context, { title, body, status = 200, leadsTo = [] }: Page) {
  const origins = leadsTo.flatMap((url) => (url === null ? [] : [new URL(url).origin]))
  const formAction = [...new Set(["'self'", ...origins])].join(' ')
  c.header(
    'content-security-policy',
    `default-src 'none'; style-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
  )
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          <link rel="stylesheet" href="/style.css" />
        </head>
        <body>
          <p class="notice">
            This is the stand-in checkout of this machine: no money moves, and no card is asked for.
          </p>
          <main>
            <h1>${title}</h1>
            ${body}
          </main>
        </body>
      </html>`,
    status,
  )
}

/** Formats an amount in the currency's smallest unit for people. */
export function money(amount: number, currency: string): string {
  const form = new Intl.NumberFormat('en-GB', { style: 'currency', currency })
  const { maximumFractionDigits = 2 } = form.resolvedOptions()
  return form.format(amount / 10 ** maximumFractionDigits)
}
