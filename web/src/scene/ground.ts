import * as THREE from 'three';
import type { V3 } from '../core/math';
import { roundNumberBelow } from '../core/math';
import type { Tones } from './studio';

// The backdrop and the half-spaces: a large disc with a grid, which fades into the backdrop.

const backdropPars = /* glsl */ `
uniform vec3 uHorizon;
uniform vec3 uZenith;
uniform vec3 uNadir;
uniform vec3 uBackUp;
vec3 backdrop(vec3 direction) {
  float height = dot(direction, uBackUp);
  return height >= 0.0 ? mix(uHorizon, uZenith, smoothstep(0.0, 0.7, height))
                       : mix(uHorizon, uNadir, smoothstep(0.0, 0.9, -height));
}
`;

export class Ground {
  readonly group = new THREE.Group();
  readonly backdrop: THREE.Mesh;
  grid = 1;
  private readonly uniforms = {
    uHorizon: { value: new THREE.Color() },
    uZenith: { value: new THREE.Color() },
    uNadir: { value: new THREE.Color() },
    uBackUp: { value: new THREE.Vector3(0, 1, 0) },
    uGridInk: { value: new THREE.Color() },
    uGridAlpha: { value: 0.2 },
    uGrid: { value: 1 },
    uFade: { value: new THREE.Vector2(1, 2) },
    uFadeCentre: { value: new THREE.Vector3() },
    uInverse: { value: new THREE.Matrix4() },
  };
  private readonly material: THREE.MeshLambertMaterial;
  private readonly disc: THREE.BufferGeometry;
  private radius = 1;

  constructor() {
    this.material = new THREE.MeshLambertMaterial({ color: 0xcfc8be });
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nvarying vec3 vOnPlane;\nvarying vec3 vInWorld;')
        .replace(
          '#include <project_vertex>',
          '#include <project_vertex>\nvOnPlane = position;\nvInWorld = (modelMatrix * vec4(position, 1.0)).xyz;',
        );
      shader.fragmentShader = shader.fragmentShader
        .replace(
          '#include <common>',
          `#include <common>
          varying vec3 vOnPlane;
          varying vec3 vInWorld;
          uniform float uGrid;
          uniform vec3 uGridInk;
          uniform float uGridAlpha;
          uniform vec2 uFade;
          uniform vec3 uFadeCentre;
          ${backdropPars}`,
        )
        .replace(
          '#include <color_fragment>',
          `#include <color_fragment>
          {
            vec2 at = vOnPlane.xy / uGrid;
            vec2 wide = fwidth(at);
            vec2 off = abs(fract(at - 0.5) - 0.5);
            vec2 line = 1.0 - smoothstep(vec2(0.0), max(wide, 1e-6) * 1.3, off);
            line *= clamp(1.0 - wide * 1.6, 0.0, 1.0);
            diffuseColor.rgb = mix(diffuseColor.rgb, uGridInk, uGridAlpha * max(line.x, line.y));
          }`,
        )
        .replace(
          '#include <opaque_fragment>',
          `#include <opaque_fragment>
          {
            float away = length(vInWorld - uFadeCentre);
            float fade = smoothstep(uFade.x, uFade.y, away);
            gl_FragColor.rgb = mix(gl_FragColor.rgb, backdrop(normalize(vInWorld - cameraPosition)), fade);
          }`,
        );
    };
    this.disc = new THREE.CircleGeometry(1, 96);
    const screen = new THREE.BufferGeometry();
    screen.setAttribute('position', new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    const sky = new THREE.ShaderMaterial({
      uniforms: this.uniforms,
      depthTest: false,
      depthWrite: false,
      vertexShader: /* glsl */ `
        uniform mat4 uInverse;
        varying vec3 vFar;
        void main() {
          vec4 far = uInverse * vec4(position.xy, 1.0, 1.0);
          vFar = far.xyz / far.w;
          gl_Position = vec4(position.xy, 1.0, 1.0);
        }`,
      fragmentShader: /* glsl */ `
        ${backdropPars}
        varying vec3 vFar;
        void main() {
          gl_FragColor = vec4(backdrop(normalize(vFar - cameraPosition)), 1.0);
          #include <tonemapping_fragment>
          #include <colorspace_fragment>
        }`,
    });
    this.backdrop = new THREE.Mesh(screen, sky);
    this.backdrop.frustumCulled = false;
    this.backdrop.renderOrder = -1000;
  }

  setTones(tones: Tones): void {
    this.material.color.set(tones.ground);
    this.uniforms.uHorizon.value.set(tones.horizon);
    this.uniforms.uZenith.value.set(tones.zenith);
    this.uniforms.uNadir.value.set(tones.nadir);
    this.uniforms.uGridInk.value.set(tones.gridInk);
    this.uniforms.uGridAlpha.value = tones.gridAlpha;
  }

  setSubject(centre: V3, radius: number, up: V3): void {
    this.radius = radius;
    this.grid = roundNumberBelow((2 * radius) / 6);
    this.uniforms.uGrid.value = this.grid;
    this.uniforms.uFade.value.set(3 * radius, 17 * radius);
    this.uniforms.uFadeCentre.value.set(...centre);
    this.uniforms.uBackUp.value.set(...up);
    this.placeDiscs(centre);
  }

  /** Half-spaces: a point on each, and its outward normal. */
  setPlanes(planes: readonly { point: V3; normal: V3 }[]): void {
    while (this.group.children.length > planes.length) this.group.remove(this.group.children.at(-1)!);
    while (this.group.children.length < planes.length) {
      const mesh = new THREE.Mesh(this.disc, this.material);
      mesh.receiveShadow = true;
      this.group.add(mesh);
    }
    planes.forEach((plane, i) => {
      const mesh = this.group.children[i]!;
      const n = new THREE.Vector3(...plane.normal).normalize();
      mesh.position.set(...plane.point);
      mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), n);
    });
    this.placeDiscs(this.uniforms.uFadeCentre.value.toArray() as unknown as V3);
  }

  /** The disc is as large as the fade; its grid stays where it is, as it is drawn in the plane's own places. */
  private placeDiscs(_centre: V3): void {
    for (const mesh of this.group.children) mesh.scale.setScalar(1);
    const size = 18 * this.radius;
    const place = this.disc.getAttribute('position') as THREE.BufferAttribute;
    const fresh = new THREE.CircleGeometry(size, 96).getAttribute('position');
    for (let i = 0; i < place.count; ++i) place.setXYZ(i, fresh.getX(i), fresh.getY(i), fresh.getZ(i));
    place.needsUpdate = true;
    this.disc.computeBoundingSphere();
  }

  follow(camera: THREE.PerspectiveCamera): void {
    this.uniforms.uInverse.value.multiplyMatrices(camera.matrixWorld, camera.projectionMatrixInverse);
  }
}
