import { join } from 'node:path'
import { expect, test } from 'vitest'
import { declared, secretNames } from './harness/declare.ts'
import { root } from './harness/paths.ts'
import { resourceTypes } from './harness/resource-types.ts'

// If this fails, `npm run infra -- -u` regenerates the file.
test('sst-env.d.ts lists the resources that functions can link', async () => {
  const types = resourceTypes(declared())
  for (const name of secretNames) expect(types).toContain(`"${name}": {`)
  await expect(types).toMatchFileSnapshot(join(root, 'sst-env.d.ts'))
})
