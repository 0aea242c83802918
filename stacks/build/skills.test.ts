import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSkills, writeCatalogue } from './skills.ts'

const root = join(import.meta.dirname, '../..')
const skills = await readSkills(root)

describe('the skills of the repository', () => {
  it('are a complete catalogue', () => {
    expect(skills.length).toBeGreaterThanOrEqual(8)
    expect(skills.filter(({ featured }) => featured).length).toBeGreaterThanOrEqual(3)
    expect(new Set(skills.map(({ category }) => category)).size).toBeGreaterThanOrEqual(3)
  })

  it.each(skills)('$id has a description and instructions', ({ id, name, document }) => {
    // The form that an agent's gateway accepts for the name and the document of a skill.
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(document.length).toBeLessThan(4000)
    const text = document.replace(/^---\n[\s\S]*?\n---\n/, '')
    expect(text).toContain(`# ${name}`)
    expect(text.match(/^(- |\d+\. )/gm)?.length).toBeGreaterThanOrEqual(8)
    expect(text.split(/\s+/).length).toBeGreaterThan(150)
  })

  it('equal the functions’ skills', async () => {
    const bundled = JSON.parse(
      await readFile(join(root, 'shared/agents/workspace/skills/catalogue.json'), 'utf8'),
    )
    expect(bundled).toEqual(skills)
  })
})

describe('the catalogue', () => {
  let copy: string

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'skills-'))
    await mkdir(join(copy, 'shared/agents/workspace/skills'), { recursive: true })
    await cp(join(root, 'skills'), join(copy, 'skills'), { recursive: true })
    await writeFile(join(copy, 'shared/agents/workspace/skills/catalogue.json'), '[]')
  })
  afterAll(() => rm(copy, { recursive: true }))

  async function change(id: string, text: string): Promise<void> {
    await mkdir(join(copy, 'skills', id), { recursive: true })
    await writeFile(join(copy, 'skills', id, 'SKILL.md'), text)
  }

  it('is written if a skill has changed, and otherwise kept', async () => {
    expect(await writeCatalogue(copy)).toBe(true)
    expect(await writeCatalogue(copy)).toBe(false)
    const document = `---
name: Haiku
description: Writes one about what it is given
category: fun
featured: false
version: 0.1.0
---

Five, seven, five.
`
    await change('haiku', document)
    expect(await writeCatalogue(copy)).toBe(true)
    const text = await readFile(join(copy, 'shared/agents/workspace/skills/catalogue.json'), 'utf8')
    expect(JSON.parse(text)).toContainEqual({
      id: 'haiku',
      name: 'Haiku',
      description: 'Writes one about what it is given',
      category: 'fun',
      featured: false,
      version: '0.1.0',
      document,
    })
  })

  it.each([
    ['no front matter', 'Just text.'],
    ['a missing field', '---\nname: A\ncategory: b\nfeatured: true\nversion: 1.0.0\n---\n'],
    [
      'an unknown field',
      '---\nname: A\ndescription: Twenty letters at least\ncategory: b\nfeatured: no\nversion: 1\nx: y\n---\n',
    ],
  ])('names the file that has %s', async (_, text) => {
    await change('wrong', text)
    await expect(writeCatalogue(copy)).rejects.toThrow('skills/wrong/SKILL.md')
    await rm(join(copy, 'skills/wrong'), { recursive: true })
  })
})
