import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Plugin } from 'esbuild'
import { platform, root } from './paths.ts'

/**
 * Bundles sst.config.ts with the components, as the CLI does before it hands the program to Pulumi: the globals of
 * project files become imports, and packages stay external and are resolved from the platform's folder. So `into` must
 * be below that folder; otherwise two copies of Pulumi would be loaded.
 */
export async function bundleProgram(into: string): Promise<void> {
  await access(join(platform, 'config.d.ts')).catch(() => {
    throw new Error('the SST platform is not there: run `sst install` first')
  })
  await build({
    stdin: {
      contents: [
        `export { default as config } from ${JSON.stringify(join(root, 'sst.config.ts'))}`,
        `export { run } from ${JSON.stringify(join(platform, 'src/auto/run.ts'))}`,
      ].join('\n'),
      resolveDir: platform,
      loader: 'ts',
    },
    outfile: into,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'silent',
    packages: 'external',
    inject: [join(platform, 'src/shim/run.js')],
    // The CLI's constants come from the process that runs the program.
    define: { $app: 'globalThis.$app', $cli: 'globalThis.$cli', $dev: 'false' },
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;",
    },
    plugins: [projectGlobals],
  })
}

const globals = `import * as aws from '@pulumi/aws';import * as sst from ${JSON.stringify(join(platform, 'src/components/index.ts'))};`

/** Imports `aws` and `sst` into the project's own files, which use them as globals. */
const projectGlobals: Plugin = {
  name: 'project-globals',
  setup(build) {
    const own = /[\\/](?:sst\.config|stacks[\\/][\w-]+)\.ts$/
    build.onLoad({ filter: own }, async ({ path }) =>
      path.startsWith(platform)
        ? undefined
        : { contents: globals + (await readFile(path, 'utf8')), loader: 'ts' },
    )
  },
}
