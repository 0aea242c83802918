import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { importedStyles } from './console-styles.ts'

/** An HTML page in one file that loads nothing else. */
export interface HtmlPage {
  html: string
  /** Its content security policy. It allows only the page's own scripts and styles, by hash. */
  policy: string
}

/**
 * Builds the page of a folder in console/pages from `main.tsx`, `main.css` and `index.html`. The console's icons are
 * included.
 */
export async function buildPage(root: string, folder: string): Promise<HtmlPage> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { script: join(folder, 'main.tsx'), style: join(folder, 'main.css') },
    outdir: 'page',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [iconsInPage, importedStyles()],
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    write: false,
    logLevel: 'silent',
  })
  const output = (ending: string) =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? ''
  const sprite = await readFile(join(root, 'console/ui/icons.svg'), 'utf8')
  const favicon = await readFile(join(root, 'console/favicon.svg'))
  const [, spriteStyle = ''] = /<style>([^]*?)<\/style>/.exec(sprite) ?? []
  const [script, style] = [output('.js'), spriteStyle + output('.css')]
  const template = await readFile(join(root, folder, 'index.html'), 'utf8')
  const html = fill(template, {
    style,
    script,
    icons: `<div hidden>${sprite.replace(/<defs>[^]*?<\/defs>/, '').trim()}</div>`,
    icon: `data:image/svg+xml;base64,${favicon.toString('base64')}`,
  })
  return { html, policy: policyOf(html) }
}

/** Builds a page and writes `index.html` and `policy.txt` into a folder, each atomically. */
export async function writePage(root: string, folder: string, outDir: string): Promise<void> {
  const { html, policy } = await buildPage(root, folder)
  await mkdir(outDir, { recursive: true })
  for (const [name, text] of Object.entries({ 'index.html': html, 'policy.txt': policy })) {
    const temporary = join(outDir, `.${name}.${process.pid}`)
    await writeFile(temporary, text)
    await rename(temporary, join(outDir, name))
  }
}

/** Replaces the placeholders `%name%` of a page by texts. */
export function fill(page: string, texts: Readonly<Record<string, string>>): string {
  return page.replaceAll(/%(\w+)%/g, (whole, name: string) => texts[name] ?? whole)
}

/** Serializes a value for an element `<script type="application/json">`, so that nothing in it can end the element. */
export function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

/** Icons are referenced within the page itself: `#name`. */
const iconsInPage: Plugin = {
  name: 'icons-in-page',
  setup(build) {
    build.onLoad({ filter: /\/icons\.svg$/ }, () => ({ contents: 'export default ""' }))
  },
}

function policyOf(html: string): string {
  const hashOf = (element: RegExp) => {
    const text = element.exec(html)?.[1] ?? ''
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  }
  return [
    "default-src 'none'",
    `script-src ${hashOf(/<script type="module">([^]*?)<\/script>/)}`,
    `style-src ${hashOf(/<style>([^]*?)<\/style>/)}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
