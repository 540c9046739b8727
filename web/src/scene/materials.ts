import * as THREE from 'three';
import { rampAt } from '../core/palette';
import { lookColour, lookPars, lookSheen, skinPars, toneShoulder } from './shaders';

// Materials: Lambert's law under a sun and a sky, with the sheen of cloth at outlines. What all bodies share (colours of
// the sky, the scale of colours, how pale bodies are) is one set of uniforms.

const chunks = THREE.ShaderChunk as Record<string, string>;
chunks.tonemapping_pars_fragment = chunks.tonemapping_pars_fragment!.replace(
  'vec3 CustomToneMapping( vec3 color ) { return color; }',
  `${toneShoulder}\nvec3 CustomToneMapping( vec3 color ) { return shoulder( color ); }`,
);

function rampTexture(): THREE.DataTexture {
  const bytes = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; ++i) bytes.set([...rampAt(i / 255), 255], 4 * i);
  const texture = new THREE.DataTexture(bytes, 256, 1);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.magFilter = texture.minFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

export const shared = {
  uPale: { value: 0 },
  uPaleTo: { value: new THREE.Color(1, 1, 1) },
  uSheen: { value: 0.35 },
  uSkyAbove: { value: new THREE.Color(0.6, 0.64, 0.7) },
  uSkyBelow: { value: new THREE.Color(0.33, 0.29, 0.25) },
  uUp: { value: new THREE.Vector3(0, 1, 0) },
  uRamp: { value: rampTexture() },
  uRange: { value: new THREE.Vector2(0, 1) },
};

/** How much of a translucent body is its own light: more than in `plush render`, since nothing takes on its colour behind it. */
const translucence = 0.74;

/** What each body has of its own. */
export interface BodyUniforms {
  /** 1: shiny, with highlights in place of the sheen of cloth. */
  uShine: { value: number };
  uAsleep: { value: number };
  uGlow: { value: number };
  uScalar: { value: number };
  uLinear: { value: THREE.Vector3 };
  uAngular: { value: THREE.Vector3 };
  uCentre: { value: THREE.Vector3 };
  uVertices: { value: THREE.DataTexture | null };
}
export const bodyUniforms = (): BodyUniforms => ({
  uShine: { value: 0 },
  uAsleep: { value: 0 },
  uGlow: { value: 0 },
  uScalar: { value: 0 },
  uLinear: { value: new THREE.Vector3() },
  uAngular: { value: new THREE.Vector3() },
  uCentre: { value: new THREE.Vector3() },
  uVertices: { value: null },
});

type Shader = Parameters<THREE.Material['onBeforeCompile']>[0];

function defineSkin(shader: Shader, normals: boolean): void {
  const defines = `#define SKIN\n${normals ? '#define SKIN_NORMALS\n' : ''}`;
  shader.vertexShader = defines + shader.vertexShader;
}

function insertSkin(shader: Shader, normals: boolean): void {
  shader.vertexShader = shader.vertexShader
    .replace('#include <common>', `#include <common>\n${skinPars}`)
    .replace('#include <begin_vertex>', 'vec3 transformed = skinPoint.xyz;\nvScalar = skinPoint.w;');
  const start = 'vec4 skinPoint; vec3 skinTurned;\n';
  if (normals && shader.vertexShader.includes('#include <beginnormal_vertex>')) {
    shader.vertexShader = shader.vertexShader.replace(
      '#include <beginnormal_vertex>',
      'vec3 objectNormal = dot(skinTurned, skinTurned) > 1e-12 ? normalize(skinTurned) : normal;',
    );
    shader.vertexShader = shader.vertexShader.replace(
      'void main() {',
      `void main() {\n${start}skinned(normal, skinPoint, skinTurned);`,
    );
  } else {
    shader.vertexShader = shader.vertexShader.replace(
      'void main() {',
      `void main() {\n${start}skinned(vec3(0.0), skinPoint, skinTurned);`,
    );
  }
}

const scalarVertex = /* glsl */ `
uniform float uScalar;
uniform vec3 uLinear;
uniform vec3 uAngular;
uniform vec3 uCentre;
#ifndef SKIN
varying float vScalar;
attribute float scalar;
#endif
`;

export interface LookOptions {
  skin: boolean;
  doubleSided?: boolean;
  flat?: boolean;
  /** Whether each vertex has a number `scalar` to colour by. */
  scalars?: boolean;
  finish?: 'matt' | 'shiny' | 'translucent' | undefined;
}

export interface Look {
  material: THREE.MeshLambertMaterial;
  depth: THREE.Material | undefined;
  uniforms: BodyUniforms;
  /** Whether it shows the scale of colours in place of its own. */
  byScalar(on: boolean): void;
}

export function makeLook(colour: THREE.Color, options: LookOptions): Look {
  const uniforms = bodyUniforms();
  const skin = options.skin;
  const material = new THREE.MeshLambertMaterial({
    color: colour,
    side: options.doubleSided ? THREE.DoubleSide : THREE.FrontSide,
    flatShading: options.flat ?? false,
    shadowSide: options.doubleSided ? THREE.DoubleSide : THREE.FrontSide,
  });
  if (options.finish === 'shiny') uniforms.uShine.value = 1;
  if (options.finish === 'translucent') {
    // What is behind shows through; of its own surfaces only the front ones are drawn.
    material.transparent = true;
    material.opacity = translucence;
  }
  let scalar = false;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, shared, uniforms);
    if (skin) insertSkin(shader, true);
    shader.vertexShader = shader.vertexShader.replace('#include <common>', `#include <common>\n${scalarVertex}`);
    shader.vertexShader = shader.vertexShader.replace(
      '#include <project_vertex>',
      `#include <project_vertex>
       #ifndef SKIN
       vec3 arm = (modelMatrix * vec4(transformed, 1.0)).xyz - uCentre;
       vScalar = ${options.scalars ? 'scalar' : '0.0'} + uScalar + length(uLinear + cross(uAngular, arm));
       #endif`,
    );
    if (skin) defineSkin(shader, true);
    const define = scalar ? '#define BY_SCALAR\n' : '';
    shader.vertexShader = define + shader.vertexShader;
    shader.fragmentShader =
      define +
      shader.fragmentShader
        .replace('#include <common>', `#include <common>\n${lookPars}`)
        .replace('#include <color_fragment>', `#include <color_fragment>\n${lookColour}`)
        .replace('#include <aomap_fragment>', `#include <aomap_fragment>\n${lookSheen}`);
  };
  material.customProgramCacheKey = () => `${skin}${scalar}${options.scalars ?? false}`;
  let depth: THREE.MeshDepthMaterial | undefined;
  if (skin) {
    depth = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
    depth.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, uniforms);
      insertSkin(shader, false);
      defineSkin(shader, false);
    };
    depth.customProgramCacheKey = () => 'skinned depth';
  }
  return {
    material,
    depth,
    uniforms,
    byScalar(on) {
      if (scalar === on) return;
      scalar = on;
      material.needsUpdate = true;
    },
  };
}
