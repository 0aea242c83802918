import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/**
 * Loads style sheets that a module imports with its script, as constructed style sheets, which the pages' content security
 * policy allows. A screen's rules are loaded with the screen, in the layer `parts` that the page's own sheet declares.
 */
export function importedStyles(): Plugin {
  return {
    name: 'imported-styles',
    setup(build) {
      build.onResolve({ filter: /\.css$/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind !== 'import-statement' || pluginData === resolving) return undefined
        const found = await build.resolve(path, { kind, resolveDir, pluginData: resolving })
        return { ...found, namespace: 'imported-styles' }
      })
      build.onLoad({ filter: /\.css$/, namespace: 'imported-styles' }, async ({ path }) => {
        const rules = await readFile(path, 'utf8')
        const { code } = await build.esbuild.transform(`@layer parts {${rules}}`, {
          loader: 'css',
          minify: true,
        })
        return {
          contents: `const sheet = new CSSStyleSheet()
sheet.replaceSync(${JSON.stringify(code.trim())})
document.adoptedStyleSheets.push(sheet)`,
        }
      })
    },
  }
}

const resolving = Symbol('resolving')
