import { describe, expect, it } from 'vitest';
import { resolvedImages } from '#lib/ec2/images/resolved-images.ts';
import type { FoundImage } from '#lib/model/node-class-facts.ts';

const NOW = 1_000;
const anImage = (id: string, difference: Partial<FoundImage> = {}): FoundImage => ({
  id,
  name: id,
  architecture: 'x86_64',
  createdAt: 10,
  ...difference,
});
const idsOf = (...images: FoundImage[]) => resolvedImages(images, NOW).map(({ id }) => id);

describe('resolvedImages', () => {
  it.each([
    ['a newer one', anImage('new', { createdAt: 20 }), anImage('old')],
    ['one that is kept up', anImage('kept'), anImage('new', { createdAt: 20, deprecatedAt: NOW })],
    ['the greater name of one day', anImage('b'), anImage('a')],
    [
      'the newer of two that are not kept up',
      anImage('new', { createdAt: 20, deprecatedAt: 1 }),
      anImage('old', { deprecatedAt: 1 }),
    ],
  ])('keeps of images for the same types only the best: %s', (_what, better, worse) => {
    expect(idsOf(better, worse)).toEqual([better.id]);
    expect(idsOf(worse, better)).toEqual([better.id]);
  });

  it('keeps one for each architecture and kind of device, newest first, then by id', () => {
    expect(
      idsOf(
        anImage('arm', { architecture: 'arm64', variants: ['standard'] }),
        anImage('plain', { variants: ['standard'] }),
        anImage('gpu', { variants: ['nvidia'], createdAt: 20 }),
      ),
    ).toEqual(['gpu', 'arm', 'plain']);
  });

  it('says what a type must have, shorter keys first', () => {
    expect(
      resolvedImages([anImage('plain', { variants: ['standard'] })], NOW)[0]?.requirements,
    ).toEqual([
      { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'DoesNotExist' },
      { key: 'karpenter.k8s.aws/instance-accelerator-count', operator: 'DoesNotExist' },
    ]);
  });

  it('is deprecated from the instant on that its owner named', () => {
    const at = (deprecatedAt: number) => resolvedImages([anImage('a', { deprecatedAt })], NOW);

    expect(at(NOW)).toMatchObject([{ deprecated: true }]);
    expect(at(NOW + 1)).toMatchObject([{ deprecated: false }]);
  });
});
